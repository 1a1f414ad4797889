from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import re

import httpx

from .._api_error import APIError
from .._errors import UnexpectedResponse
from .._http import Request
from .._targets import Memory, SavedFile, Target
from .clock import AsyncDeadline
from .http import AsyncHttp


async def download_bytes(http: AsyncHttp, request: Request, deadline: AsyncDeadline) -> bytes:
    """Downloads a file into memory."""
    memory = Memory()
    await AsyncDownload(http, request, deadline, memory).run()
    return memory.content()


async def download_file(
    http: AsyncHttp, request: Request, deadline: AsyncDeadline, to: str | os.PathLike[str], name: str
) -> pathlib.Path:
    """Downloads a file to the disk, without holding it in memory. Returns its path."""
    file = SavedFile(to, name)
    try:
        await AsyncDownload(http, request, deadline, file).run()
        return file.finish()
    except BaseException:
        file.discard()
        raise


@dataclasses.dataclass
class AsyncDownload:
    """
    Reads a content into a target. After an interruption, it continues where it stopped, if the content is still the
    same, and begins anew otherwise.
    """

    http: AsyncHttp
    request: Request
    deadline: AsyncDeadline
    target: Target
    received: int = 0
    """Bytes that the target has."""
    etag: str | None = None
    """Of the whole content. None: the rest cannot be asked for."""

    async def run(self) -> None:
        """Raises `UnexpectedResponse` for a content with another SHA-256 than its ETag, if that is one."""
        await self.http.retry(self.deadline, self._attempt, lambda: self.received)
        named = re.fullmatch(r'"([0-9a-f]{64})"', self.etag or "")
        if named and named[1] != self.target.sha256():
            raise UnexpectedResponse(
                f"{self.request} was answered with {self.received} bytes with the SHA-256 {self.target.sha256()}; "
                f"its ETag is {named[1]}"
            )

    async def _attempt(self) -> None:
        while not await self._read():
            self.etag = None  # so that all of it is asked for

    async def _read(self) -> bool:
        """Reads what is missing. False: the answer is not the rest of this content."""
        start, etag = self.received, self.etag
        headers = {"accept-encoding": "identity"}
        asks_for_rest = start > 0 and etag is not None
        if start > 0 and etag is not None:
            headers.update({"range": f"bytes={start}-", "if-range": etag})
        request = dataclasses.replace(self.request, headers=headers)
        is_other = False

        def on_start(response: httpx.Response) -> None:
            nonlocal is_other
            answered = response.headers
            if response.status_code == 206:
                if not asks_for_rest:
                    raise self.http.unexpected(request, "a part of the file")
                is_rest = answered.get("etag") == etag
                is_other = not is_rest or not answered.get("content-range", "").startswith(f"bytes {start}-")
                return
            # The bytes of a coded content are counted differently, and a weak ETag can name different bytes.
            given = answered.get("etag", "") if "content-encoding" not in answered else ""
            self.etag = given if given.startswith('"') else None
            self.received = 0
            self.target.begin()

        try:
            stream = self.http.stream(request, self.deadline, on_start=on_start)
            async with contextlib.aclosing(stream) as parts:
                async for part in parts:
                    if is_other:
                        return False
                    self.target.write(part)
                    self.received += len(part)
        except APIError as error:
            if asks_for_rest and error.status == 416:
                return False
            raise
        return not is_other
