from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import httpx

from .. import _io
from .._errors import ConnectionFailed, UnexpectedResponse
from .._files import Content
from .._http import Origin, Request, backoff, error_from, log, longest_backoff, origin_of, slowest
from .clock import AsyncClock, AsyncDeadline

Value = TypeVar("Value")


class AsyncHttp:
    """Requests to one server: authentication, deadlines, errors."""

    def __init__(
        self, origin: Origin, timeout: float, max_retries: int, pool: _io.AsyncPool, clock: AsyncClock
    ) -> None:
        self.clock = clock
        self._max_retries = max_retries
        self.base_url = origin.base_url
        self._origin = origin
        self.timeout = timeout
        self._pool = pool

    async def object(self, request: Request, deadline: AsyncDeadline, fields: tuple[str, ...]) -> Any:
        """The JSON object of a successful response that has these fields."""
        content_type, content = await self._receive(request, deadline)
        return self._origin.parse_object(request, content_type, content, fields)

    async def send(self, request: Request, deadline: AsyncDeadline) -> None:
        """Sends a request whose response has no content."""
        await self._receive(request, deadline)

    async def stream(
        self,
        request: Request,
        deadline: AsyncDeadline,
        content_type: str = "",
        on_start: Callable[[httpx.Response], None] | None = None,
    ) -> AsyncGenerator[bytes, None]:
        """
        The content of a successful response as it arrives. Fails when nothing arrives for the timeout of a request.

        `content_type`: the type that it must have. `on_start`: called before the first part.
        """
        async with self._respond(request, deadline, self.timeout) as response:
            actual = response.headers.get("content-type", "")
            if content_type not in actual:
                raise self.unexpected(request, f"{actual or 'no content type'} instead of {content_type}")
            if on_start is not None:
                on_start(response)
            async for chunk in _io.async_body(response, deadline.remaining()):
                yield chunk

    async def retry(
        self,
        deadline: AsyncDeadline,
        call: Callable[[], Awaitable[Value]],
        progress: Callable[[], int] | None = None,
    ) -> Value:
        """
        Repeats a call that may be repeated, up to `max_retries` times and while the deadline allows it.

        `progress`: a number that grows while attempts are not in vain. They are counted anew then.
        """
        failures = best = 0
        while True:
            try:
                return await call()
            except Exception as error:
                failures += 1
                reached = progress() if progress is not None else 0
                if reached > best:
                    best, failures = reached, 1
                if failures > self._max_retries:
                    raise
                pause = backoff(error, failures, longest=longest_backoff)
                deadline.failed(error)
                if pause is None:
                    raise
            await deadline.sleep(pause)

    def wait_backoff(
        self, error: Exception, failures: int, deadline: AsyncDeadline, first: float = 1.0
    ) -> float | None:
        """
        Seconds before the next attempt of a wait, as `backoff`. None also when nothing has answered the call after the
        attempts of a read: the address is wrong.
        """
        deadline.failed(error)
        is_silent = not deadline.answered and failures > self._max_retries and deadline.remaining() > 0
        return None if is_silent and isinstance(error, ConnectionFailed) else backoff(error, failures, first)

    def unexpected(self, request: Request, what: str) -> UnexpectedResponse:
        return self._origin.unexpected(request, what)

    async def _receive(self, request: Request, deadline: AsyncDeadline) -> tuple[str, bytes]:
        timeout = self.timeout + request.body_size / slowest
        async with self._respond(request, deadline, timeout) as response:
            limit = min(timeout, deadline.remaining())
            content = b"".join([chunk async for chunk in _io.async_body(response, limit)])
            return response.headers.get("content-type", ""), content

    @contextlib.asynccontextmanager
    async def _respond(
        self, request: Request, deadline: AsyncDeadline, timeout: float
    ) -> AsyncIterator[httpx.Response]:
        """A successful response, whose body is not read yet."""
        limit = min(timeout, deadline.remaining())
        response: httpx.Response | None = None
        try:
            response = await self._send(request, limit)
            deadline.answered = True
            if response.is_success:
                deadline.last_error = None
            if response.is_redirect:
                raise self.unexpected(request, "a redirect")
            if not response.is_success:
                content = b"".join([chunk async for chunk in _io.async_body(response, limit)])
                raise error_from(request, response, content)
            yield response
        except (httpx.HTTPError, httpx.StreamError) as error:
            is_late = isinstance(error, httpx.TimeoutException)
            reason = f"no answer within {limit:g} s" if is_late else str(error) or type(error).__name__
            way = self._origin.proxy_of(request) if self._pool.is_own else ""
            raise ConnectionFailed(f"{request}: {reason}{way}") from error
        finally:
            if response is not None:
                await response.aclose()

    async def _send(self, request: Request, timeout: float) -> httpx.Response:
        body = request.body
        content = _io.async_parts(body.parts()) if isinstance(body, Content) else body
        client = self._pool.client()
        built = client.build_request(**self._origin.arguments(request), content=content, timeout=timeout)
        began = self.clock.now()
        response = await client.send(built, stream=True, follow_redirects=False)
        log.debug("%s: %d in %.0f ms", request, response.status_code, (self.clock.now() - began) * 1000)
        redirect = response.next_request if request.follow else None
        if redirect is None:
            return response
        await response.aclose()
        if origin_of(redirect.url) != origin_of(built.url):
            redirect.headers.pop("authorization", None)  # a signed URL needs no key, and S3 rejects both
        return await client.send(redirect, stream=True, follow_redirects=False)
