from __future__ import annotations

import contextlib
import dataclasses
import json
import uuid
from collections.abc import AsyncIterator, Mapping
from typing import Any, NamedTuple, cast

from .. import _io
from .._api_error import APIError
from .._errors import ConnectionFailed, CreateOutcomeUnknown, WaitTimeout
from .._files import Content, FileInputs
from .._http import Request, filled, json_bytes
from .._limits import RunLimits
from .._operations import Ext
from .._result import ResultSchema, json_schema_of
from .._types import Agent, Upload
from .._types import Run as RunSummary
from .clock import AsyncDeadline
from .http import AsyncHttp


class NewRun(NamedTuple):
    """The options of `create`."""

    name: str
    input: str | None
    files: FileInputs
    labels: Mapping[str, str] | None
    webhook: str | None
    idempotency_key: str | None
    result: ResultSchema | None
    template_id: str | None
    limits: RunLimits | None
    model: str | None


@dataclasses.dataclass(frozen=True)
class AsyncCreate:
    """Creates a run. Its idempotency key makes it safe to repeat."""

    http: AsyncHttp
    agent: Agent
    template_id: str | None
    deadline: AsyncDeadline

    async def run(self, new: NewRun, contents: list[Content]) -> RunSummary:
        """`contents`: its files."""
        key = new.idempotency_key or str(uuid.uuid4())
        body = {
            "name": new.name,
            "template_id": self._template(new),
            "input_text": new.input,
            **(await self._files(contents, self._template(new))),
            "labels": new.labels,
            "webhook": {"url": new.webhook} if new.webhook else None,
            "result_schema": json_schema_of(new.result),
            "limits": new.limits,
            "model": new.model,
        }
        request = Request(*filled(Ext.create_run), headers={"idempotency-key": key}, body=json_bytes(body))
        async with _or_unknown(key):
            create = await self.http.retry(
                self.deadline, lambda: self.http.object(request, self.deadline, ("id", "status"))
            )
            return cast(RunSummary, create)

    def _template(self, new: NewRun) -> str | None:
        return self.template_id if new.template_id is None else new.template_id

    async def _files(self, files: list[Content], template_id: str | None) -> dict[str, Any]:
        """The files of a request: in it if they fit, otherwise uploaded before."""
        if not files:
            return {}
        if sum(file.size for file in files) <= self.agent["max_inline_bytes"]:
            return {"files": [file.inline() for file in files]}
        return {"uploads": [await self._upload(file, template_id) for file in files]}

    async def _upload(self, file: Content, template_id: str | None) -> str:
        """Uploads a file, which is read twice: for its SHA-256, and while it is sent. Returns its upload ID."""
        sha256 = await _io.async_work(file.sha256)
        named = {"filename": file.name, "size": file.size, "sha256": sha256}
        body = json_bytes({**named, "template_id": template_id})
        begin = Request(*filled(Ext.create_upload), body=body)
        fields = ("upload_id", "url", "headers")
        upload: Upload = await self.http.retry(self.deadline, lambda: self.http.object(begin, self.deadline, fields))
        put = Request("PUT", upload["url"], headers=upload["headers"], body=file)
        await self.http.retry(self.deadline, lambda: self.http.send(put, self.deadline))
        return upload["upload_id"]


@contextlib.asynccontextmanager
async def _or_unknown(idempotency_key: str) -> AsyncIterator[None]:
    """Replaces errors that leave open whether the server created the run by `CreateOutcomeUnknown`."""
    try:
        yield
    except (ConnectionFailed, WaitTimeout, APIError) as error:
        if isinstance(error, APIError) and (error.status < 500 or error.status == 503):
            raise
        advice = f"repeat it with the idempotency key {json.dumps(idempotency_key)}, which returns the run if it exists"
        message = f"no answer to the create, so whether the run exists is unknown ({error}); {advice}"
        raise CreateOutcomeUnknown(message, idempotency_key) from error
