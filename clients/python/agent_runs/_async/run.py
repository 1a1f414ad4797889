from __future__ import annotations

import copy
import dataclasses
import os
import pathlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from .._answer import NO_OUTPUT, ClientTools
from .._api_error import AgentRunsError
from .._files import FileInputs
from .._result import ResultSchema, parsed_result
from .._types import CreatedRunToken, Event, Failure, OpenCall, ResultError, RunDetail, RunFile, Usage
from .._written_text import TextPlace

if TYPE_CHECKING:
    from .runs import AsyncRuns

RunStatus = Literal["running", "finished", "technical_error", "terminated"]
"""`finished`: idle, its output is complete. `terminated`: stopped or deleted."""


class AsyncRun:
    """A run as it was when it was read. `runs.get(run.id)` reads it again."""

    id: str
    status: RunStatus
    output: str | None
    """The output of the last ended turn. None: there is none, or `runs.list` returned the run, which leaves it out."""
    failure: Failure | None
    """With `technical_error`: why."""
    finish_reason: str | None
    """Why the last turn ended: `completed`, or a limit. None: it has not."""
    waiting: bool
    """The run is running, and tool calls of it wait for answers."""
    open_calls: list[OpenCall]
    """These calls. Empty in runs of lists and changes: `runs.get(run.id)` has them."""
    result_error: ResultError | None
    """Why the output does not fit the schema of the result. None: it does, or there is no schema."""
    usage: Usage | None
    """Tokens and dollars."""
    name: str | None
    """Display name."""
    labels: dict[str, str]
    created_at: str | None
    """RFC 3339."""
    data: RunDetail
    """
    All that the server said. `limits`, `turn_usage`, `turn_started_at` and `output` are only in runs of `get`, `wait`
    and `create_and_wait`: elsewhere, read them with `data.get(…)`.
    """

    def __init__(
        self,
        runs: AsyncRuns | None,
        id: str,
        status: RunStatus,
        output: str | None,
        data: RunDetail | None = None,
        schema: ResultSchema | None = None,
    ) -> None:
        """`runs`: None for a run that was unpickled. `schema`: of its result."""
        self._client_runs = runs
        self.id = id
        self.status = status
        self.output = output
        self.data = data or cast(RunDetail, {"id": id, "status": status, "output": output})
        self.name = self.data.get("name")
        self.labels = self.data.get("labels", {})
        self.created_at = self.data.get("created_at")
        self.failure = self.data.get("failure")
        self.finish_reason = self.data.get("finish_reason")
        self.usage = self.data.get("usage")
        self.waiting = self.data.get("state") == "waiting"
        self.open_calls = self.data.get("open_calls", [])
        self.result_error = self.data.get("result_error")
        self._schema = schema

    @property
    def result(self) -> Any:
        """
        The output as JSON, if it is a result of the run's schema: an instance of the pydantic model that the run was
        created with, otherwise a dict. None: it is not, a turn is in progress, or the run comes from a list.
        """
        return parsed_result(self.data.get("result"), self._schema)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.status}>"

    def __copy__(self) -> AsyncRun:
        return AsyncRun(self._client_runs, self.id, self.status, self.output, self.data, self._schema)

    def __deepcopy__(self, memo: dict[int, Any]) -> AsyncRun:
        """A copy with the same client, whose connections cannot be copied."""
        data = copy.deepcopy(self.data, memo)
        return AsyncRun(self._client_runs, self.id, self.status, self.output, data, self._schema)

    def __reduce__(self) -> tuple[Any, ...]:
        """For `pickle`: without the client, whose connections belong to this process."""
        return AsyncRun, (None, self.id, self.status, self.output, self.data, self._schema)

    def _with_schema(self, schema: ResultSchema | None) -> AsyncRun:
        """The run, whose result is made with this schema."""
        self._schema = schema
        return self

    @property
    def _runs(self) -> AsyncRuns:
        if self._client_runs is None:
            raise AgentRunsError(
                f"run {self.id} was unpickled and has no client; read it again with client.runs.get({self.id!r})"
            )
        return self._client_runs

    async def wait(
        self,
        *,
        timeout: float | None = 1800,
        after: int | None = None,
        on_event: Callable[[Event], object] | None = None,
        on_text: Callable[[str, TextPlace], object] | None = None,
        raise_on_failure: bool = False,
    ) -> AsyncRun:
        """Waits until the run is idle, or waits for answers to its `open_calls`. Returns its latest state."""
        run = await self._runs.wait(
            self.id,
            timeout=timeout,
            after=after,
            on_event=on_event,
            on_text=on_text,
            raise_on_failure=raise_on_failure,
        )
        return run._with_schema(self._schema)

    def events(
        self,
        *,
        after: int | None = None,
        timeout: float | None = None,
        on_text: Callable[[str, TextPlace], object] | None = None,
    ) -> AsyncIterator[Event]:
        return self._runs.events(self.id, after=after, timeout=timeout, on_text=on_text)

    async def answer(
        self,
        call: OpenCall,
        *,
        allow: bool | None = None,
        reason: str | None = None,
        output: Any = NO_OUTPUT,
        error: str | None = None,
        files: FileInputs = (),
    ) -> AsyncRun:
        """Answers an open call. `runs.answer` says more."""
        return await self._runs.answer(
            self.id, call, allow=allow, reason=reason, output=output, error=error, files=files
        )

    async def serve_tools(
        self,
        tools: ClientTools,
        *,
        timeout: float | None = 1800,
        after: int | None = None,
        on_event: Callable[[Event], object] | None = None,
        on_text: Callable[[str, TextPlace], object] | None = None,
        raise_on_failure: bool = False,
    ) -> AsyncRun:
        """Waits until the turn has ended, and answers calls of client tools. `runs.serve_tools` says more."""
        run = await self._runs.serve_tools(
            self.id,
            tools,
            timeout=timeout,
            after=after,
            on_event=on_event,
            on_text=on_text,
            raise_on_failure=raise_on_failure,
        )
        return run._with_schema(self._schema)

    async def send_input(self, text: str, *, idempotency_key: str | None = None) -> AsyncRun:
        return await self._runs.send_input(self.id, text, idempotency_key=idempotency_key)

    async def set_labels(self, labels: Mapping[str, str]) -> AsyncRun:
        """Replaces the labels. Returns the run as it is now."""
        return await self._runs.set_labels(self.id, labels)

    async def create_token(self, *, expires_in: int = 3_600) -> CreatedRunToken:
        """Creates a token that reads this run and nothing else, such as for a browser. `expires_in`: seconds."""
        return await self._runs.create_token(self.id, expires_in=expires_in)

    async def stop(self) -> AsyncRun:
        return await self._runs.stop(self.id)

    async def delete(self) -> AsyncRun:
        """Deletes the run's texts and files for good. Returns what remains."""
        return await self._runs.delete(self.id)

    async def files(self, *, at: str | None = None) -> list[RunFile]:
        return await self._runs.files(self.id, at=at)

    @overload
    async def download(self, name: str, *, to: None = None, at: str | None = None) -> bytes: ...
    @overload
    async def download(self, name: str, *, to: str | os.PathLike[str], at: str | None = None) -> pathlib.Path: ...
    async def download(
        self, name: str, *, to: str | os.PathLike[str] | None = None, at: str | None = None
    ) -> bytes | pathlib.Path:
        """The content of a file. With `to`: writes it to this path or into this folder, and returns the path."""
        if to is None:
            return await self._runs.download(self.id, name, at=at)
        return await self._runs.download(self.id, name, to=to, at=at)


@dataclasses.dataclass(frozen=True)
class AsyncRunPage:
    """
    Runs of a list, newest first. It can be short or empty and still have a next one, because a filter ends after a
    bounded number of runs.
    """

    data: list[AsyncRun]
    next: str | None
    """The `cursor` of the next page. None: this is the last one."""


def run_of(runs: AsyncRuns, data: Any) -> AsyncRun:
    return AsyncRun(runs, data["id"], data["status"], data.get("output"), data)
