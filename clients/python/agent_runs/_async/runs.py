from __future__ import annotations

import builtins
import contextlib
import datetime
import os
import pathlib
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, TypeVar, cast, overload

from .. import _io
from .._answer import NO_OUTPUT, ClientTools, answer_bytes
from .._api_error import AgentRunsError
from .._config import check_idempotency_key
from .._errors import ConnectionFailed, RunFailed
from .._files import FileInputs, open_files
from .._http import Request, filled, json_bytes
from .._limits import RunLimits
from .._operations import Ext
from .._result import ResultSchema
from .._types import CreatedRunToken, Event, OpenCall, RunFile
from .._written_text import TextPlace
from .clock import AsyncDeadline
from .create import AsyncCreate, NewRun
from .download import download_bytes, download_file
from .follow import AsyncFollower
from .http import AsyncHttp
from .poll import Found, poll
from .run import AsyncRun, AsyncRunPage, RunStatus, run_of
from .serve import AsyncCallServer
from .server import AsyncServer

_Text = TypeVar("_Text", bound=str)

RunFiles = list[RunFile]


class AsyncRuns:
    """The runs of the API key's agent."""

    def __init__(self, http: AsyncHttp, server: AsyncServer, template_id: str | None) -> None:
        self._http = http
        self._server = server
        self._template_id = template_id
        self._follower = AsyncFollower(http, server)

    async def create(
        self,
        *,
        name: str,
        input: str | None = None,
        files: FileInputs = (),
        labels: Mapping[str, str] | None = None,
        webhook: str | None = None,
        idempotency_key: str | None = None,
        result: ResultSchema | None = None,
        template_id: str | None = None,
        limits: RunLimits | None = None,
        model: str | None = None,
    ) -> AsyncRun:
        """
        Creates a run, and does not wait for it.

        `name`: display name, up to 200 characters.
        `input`: the first input. Without one, the run waits for `send_input`.
        `files`: at most 10 paths, binary files, or `(name, content)`. Large ones are uploaded first, in parts.
        `labels`: at most 16.
        `webhook`: a URL that gets this run's webhooks, signed with the secret of the agent's webhook.
        `idempotency_key`: a text of up to 255 visible ASCII characters. Creates with the same key and values return
        the same run, as long as it is kept. By default, each call has its own key, and is repeated safely.
        `result`: the schema of the run's result, which becomes `run.result`: a pydantic model or a JSON Schema. The
        agent file must set `result.perRun`.
        `template_id`: which of the key's agents. By default that of the client, or else the key's first one.
        `limits`: at or below those of the agent, such as `{"run": {"dollars": 0.5}}`.
        `model`: one of the agent's `run_models`, in place of its model.

        Raises `CreateOutcomeUnknown` if no answer arrived.
        """
        deadline = self._deadline()
        new = NewRun(name, input, files, labels, webhook, idempotency_key, result, template_id, limits, model)
        return await self._create(new, deadline)

    async def create_and_wait(
        self,
        *,
        name: str,
        input: str | None = None,
        files: FileInputs = (),
        labels: Mapping[str, str] | None = None,
        webhook: str | None = None,
        idempotency_key: str | None = None,
        result: ResultSchema | None = None,
        template_id: str | None = None,
        limits: RunLimits | None = None,
        model: str | None = None,
        timeout: float | None = 1800,
        on_event: Callable[[Event], object] | None = None,
        on_text: Callable[[str, TextPlace], object] | None = None,
        raise_on_failure: bool = False,
    ) -> AsyncRun:
        """Creates a run as `create` does, and waits as `wait` does. `timeout` is for both."""
        deadline = self._deadline(timeout)
        new = NewRun(name, input, files, labels, webhook, idempotency_key, result, template_id, limits, model)
        try:
            run = await self._create(new, deadline)
        except ConnectionFailed as error:
            if deadline.remaining() == 0:
                raise deadline.timeout_error() from error
            raise
        ended = await self._wait(run.id, deadline, None, on_event, on_text, raise_on_failure)
        return ended._with_schema(result)

    async def get(self, run_id: str) -> AsyncRun:
        deadline = self._deadline()
        return await self._http.retry(deadline, lambda: self._read(run_id, deadline))

    async def wait(
        self,
        run_id: str,
        *,
        timeout: float | None = 1800,
        after: int | None = None,
        on_event: Callable[[Event], object] | None = None,
        on_text: Callable[[str, TextPlace], object] | None = None,
        raise_on_failure: bool = False,
    ) -> AsyncRun:
        """
        Waits until a run is idle, or waits for answers to its `open_calls`. Returns its latest state: at once, if it
        waits already. `serve_tools` waits for the end of the turn.

        `timeout`: seconds, for all requests and waits together. Then, `WaitTimeout` is raised. None: no limit.
        `on_event`: called with each event, in order.
        `on_text`: called with the text that a model writes, as by `events`.
        `after`: begin after this event: the `sequence` of the last one that is known. By default, all are passed on.
        `raise_on_failure`: raise `RunFailed` unless the run is `finished`. Otherwise, read `run.status`.
        """
        return await self._wait(run_id, self._deadline(timeout), after, on_event, on_text, raise_on_failure)

    async def list(
        self,
        *,
        status: RunStatus | Iterable[RunStatus] | None = None,
        label: str | Iterable[str] | None = None,
        since: datetime.datetime | None = None,
        until: datetime.datetime | None = None,
        q: str | None = None,
        template_id: str | None = None,
    ) -> AsyncIterator[AsyncRun]:
        """
        All runs that match, newest first. Reads a page when its first run is needed.

        `status`: one, or several to have runs with one of them. `label`: `KEY=VALUE`, or several that a run has.
        `since`, `until`: created at or after, and before. `q`: text in the name or the first input.
        `template_id`: runs of one of the key's agents. By default, those of all of them.
        """
        statuses, labels = _values(status), _values(label)
        cursor: str | None = None
        while True:
            page = await self.list_page(
                status=statuses, label=labels, since=since, until=until, q=q, template_id=template_id, cursor=cursor
            )
            for run in page.data:
                yield run
            if page.next is None:
                return
            cursor = page.next

    async def list_page(
        self,
        *,
        status: RunStatus | Iterable[RunStatus] | None = None,
        label: str | Iterable[str] | None = None,
        since: datetime.datetime | None = None,
        until: datetime.datetime | None = None,
        q: str | None = None,
        template_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncRunPage:
        """
        One page of the runs that match, newest first, with the cursor of the next one. The filters are those of `list`.

        `cursor`: `next` of the previous page. By default, the first page. `limit`: runs of one page, up to 200. 50 by
        default.
        """
        query: dict[str, str | builtins.list[str] | None] = {
            "status": _values(status),
            "label": _values(label),
            "since": _time(since),
            "until": _time(until),
            "q": q,
            "template_id": template_id,
            "cursor": cursor,
            "limit": None if limit is None else str(limit),
        }
        page = await self._page(filled(Ext.list_runs), query)
        return AsyncRunPage([run_of(self, data) for data in page["data"]], page["next"])

    async def events(
        self,
        run_id: str,
        *,
        after: int | None = None,
        timeout: float | None = None,
        on_text: Callable[[str, TextPlace], object] | None = None,
    ) -> AsyncIterator[Event]:
        """
        The events of a run, until it is idle. The stream is opened again after an interruption, and each event
        comes once and in order.

        `after`: the `sequence` of the last event that is known. `timeout`: seconds. Then, `WaitTimeout` is raised.
        `on_text`: called meanwhile with the text that a model writes, and its place (`turn`, `step`): the whole text of
        the step so far, again and again, and once with the whole text before the event `model_call` of the step.
        Servers of earlier releases send the latter only.
        """
        deadline = self._deadline(timeout)
        await self._server.require(deadline)
        following = self._follower.events(run_id, after, deadline, on_text=on_text)
        async with contextlib.aclosing(following) as events:
            async for event in events:
                yield event

    async def answer(
        self,
        run_id: str,
        call: OpenCall,
        *,
        allow: bool | None = None,
        reason: str | None = None,
        output: Any = NO_OUTPUT,
        error: str | None = None,
        files: FileInputs = (),
    ) -> AsyncRun:
        """
        Answers an open call of a run, for the arguments that it has. The first answer counts: the same one again is
        accepted, another one raises an `APIError` with the code `already_answered`. Returns the run as it is now,
        without `open_calls`.

        An approval has `allow`, and a `reason` if it is False. A client tool and a question have an `output`, which is
        a text or JSON, or an `error`. The model reads all texts. `files`: with an output, at most 10 MiB, for the
        workspace of the run.
        """
        deadline = self._deadline()
        contents = open_files(files)
        body = await _io.async_work(
            lambda: answer_bytes(call, allow=allow, reason=reason, output=output, error=error, files=contents)
        )
        await self._server.require(deadline)
        return await self._http.retry(deadline, lambda: self._answer(run_id, body, deadline))

    async def serve_tools(
        self,
        run_id: str,
        tools: ClientTools,
        *,
        timeout: float | None = 1800,
        after: int | None = None,
        on_event: Callable[[Event], object] | None = None,
        on_text: Callable[[str, TextPlace], object] | None = None,
        raise_on_failure: bool = False,
    ) -> AsyncRun:
        """
        Waits until a turn has ended, and answers its calls of client tools with functions, one after the other. What a
        function raises becomes the error of its call, as its message, and is logged. Calls without a function, and
        approvals, are left to others; the log names the former. The options are those of `wait`.
        """
        deadline = self._deadline(timeout)
        last = after

        async def passed_on(event: Event) -> None:
            nonlocal last
            if on_event:
                await _io.async_call(on_event, event)
            last = event["sequence"]  # the next wait begins here

        async def send(body: bytes) -> AsyncRun:
            # Without the deadline: what a function did is reported, even if it took too long.
            return await self._answer(run_id, body, self._deadline())

        calls = AsyncCallServer(tools, send, deadline)

        async def look() -> Found:
            follows = on_event or on_text
            run = await self._wait(run_id, deadline, last, passed_on if follows else None, on_text, raise_on_failure)
            if not run.waiting:
                return run
            return "now" if await calls.serve(run.open_calls) else "later"

        try:
            return await poll(self._http, deadline, look)
        except AgentRunsError as error:
            error.run_id = run_id
            raise

    async def send_input(self, run_id: str, text: str, *, idempotency_key: str | None = None) -> AsyncRun:
        """
        Gives a run its next input. It is queued while a turn is in progress. Repeated safely: the run gets it once.

        `idempotency_key`: a text of up to 255 visible ASCII characters. Inputs of a run with the same key and text are
        accepted once. By default, each call has its own key.
        """
        check_idempotency_key(idempotency_key)
        operation = filled(Ext.create_input, run_id=run_id)
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        return await self._change(operation, {"input_text": text}, headers)

    async def set_labels(self, run_id: str, labels: Mapping[str, str]) -> AsyncRun:
        """Replaces the labels of a run. Returns the run as it is now."""
        return await self._change(filled(Ext.update_run, run_id=run_id), {"labels": labels})

    async def create_token(self, run_id: str, *, expires_in: int = 3_600) -> CreatedRunToken:
        """
        Creates a token that reads a run and nothing else: its status, events and files. A client with the token in
        place of the API key has `get`, `wait`, `events`, `files` and `download` for this run.

        `expires_in`: seconds, 60 to 2,592,000.
        """
        deadline = self._deadline()
        await self._server.require(deadline)
        request = Request(*filled(Ext.create_run_token, run_id=run_id), body=json_bytes({"expires_in": expires_in}))
        fields = ("token", "id", "expires_at")
        created = await self._http.retry(deadline, lambda: self._http.object(request, deadline, fields))
        return cast(CreatedRunToken, created)

    async def revoke_token(self, run_id: str, token_id: str) -> None:
        """Revokes a token by its `id`. One that is unknown or expired is revoked already."""
        deadline = self._deadline()
        await self._server.require(deadline)
        request = Request(*filled(Ext.revoke_run_token, run_id=run_id, token_id=token_id))
        await self._http.retry(deadline, lambda: self._http.send(request, deadline))

    async def stop(self, run_id: str) -> AsyncRun:
        """Stops a run."""
        return await self._change(filled(Ext.stop_run, run_id=run_id))

    async def delete(self, run_id: str) -> AsyncRun:
        """Deletes a run's texts and files for good, if the agent allows it. Returns what remains."""
        return await self._change(filled(Ext.delete_run, run_id=run_id))

    async def files(self, run_id: str, *, at: str | None = None) -> RunFiles:
        """
        The files of a run: the uploads, and what the agent wrote. `at`: as they were after this step, as `TURN.STEP`.
        """
        page = await self._page(filled(Ext.list_files, run_id=run_id), {"at": at})
        return cast(RunFiles, page["data"])

    @overload
    async def download(self, run_id: str, name: str, *, to: None = None, at: str | None = None) -> bytes: ...
    @overload
    async def download(
        self, run_id: str, name: str, *, to: str | os.PathLike[str], at: str | None = None
    ) -> pathlib.Path: ...
    async def download(
        self, run_id: str, name: str, *, to: str | os.PathLike[str] | None = None, at: str | None = None
    ) -> bytes | pathlib.Path:
        """
        The content of a file. With `to`: writes it to this path or into this folder, as it arrives, and returns the
        path. A download that is cut continues where it stopped. The SHA-256 is checked, where the server says it.

        `at`: the file as it was after this step, as `TURN.STEP`.
        """
        deadline = self._deadline()
        await self._server.require(deadline)
        request = Request(*filled(Ext.get_file, run_id=run_id, name=name), query={"at": at}, follow=True)
        if to is None:
            return await download_bytes(self._http, request, deadline)
        return await download_file(self._http, request, deadline, to, name)

    def _deadline(self, timeout: float | None = None) -> AsyncDeadline:
        return AsyncDeadline(self._http.clock, timeout)

    async def _create(self, new: NewRun, deadline: AsyncDeadline) -> AsyncRun:
        check_idempotency_key(new.idempotency_key)
        contents = open_files(new.files)
        agent = await self._http.retry(deadline, lambda: self._server.agent(deadline))
        created = await AsyncCreate(self._http, agent, self._template_id, deadline).run(new, contents)
        return run_of(self, created)._with_schema(new.result)

    async def _read(self, run_id: str, deadline: AsyncDeadline, *, waits: bool = False) -> AsyncRun:
        """`waits`: the server answers when the run is idle, or after some seconds, if it has waits for clients."""
        offered = await self._server.wait_seconds(deadline)
        seconds = min(offered, int(self._http.timeout / 2))  # half of a request's timeout at most
        query = {"wait": str(seconds)} if waits and seconds > 0 else {}
        request = Request(*filled(Ext.get_run, run_id=run_id), query=query)
        return run_of(self, await self._http.object(request, deadline, ("id", "status", "output")))

    async def _wait(
        self,
        run_id: str,
        deadline: AsyncDeadline,
        after: int | None,
        on_event: Callable[[Event], object] | None,
        on_text: Callable[[str, TextPlace], object] | None,
        raise_on_failure: bool,
    ) -> AsyncRun:
        try:
            if on_event or on_text:
                following = self._follower.events(run_id, after, deadline, on_text=on_text, until_waiting=True)
                async with contextlib.aclosing(following) as events:
                    async for event in events:
                        if on_event:
                            await _io.async_call(on_event, event)
            run = await self._poll(run_id, deadline)
            if raise_on_failure and run.status not in ("finished", "running"):
                raise RunFailed(run)
            return run
        except AgentRunsError as error:
            error.run_id = run_id
            raise

    async def _poll(self, run_id: str, deadline: AsyncDeadline) -> AsyncRun:
        """Reads until the run is idle, or waits for answers."""

        async def look() -> Found:
            run = await self._read(run_id, deadline, waits=True)
            return run if run.status != "running" or run.waiting else "later"

        return await poll(self._http, deadline, look)

    async def _answer(self, run_id: str, body: bytes, deadline: AsyncDeadline) -> AsyncRun:
        request = Request(*filled(Ext.answer_call, run_id=run_id), body=body)
        return run_of(self, await self._http.object(request, deadline, ("id", "status")))

    async def _page(self, operation: tuple[str, str], query: Mapping[str, str | builtins.list[str] | None]) -> Any:
        deadline = self._deadline()
        await self._server.require(deadline)
        request = Request(*operation, query=query)
        return await self._http.retry(deadline, lambda: self._http.object(request, deadline, ("data", "next")))

    async def _change(
        self,
        operation: tuple[str, str],
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncRun:
        """Makes a change, which is safe to repeat."""
        deadline = self._deadline()
        await self._server.require(deadline)
        request = Request(*operation, headers=headers or {}, body=json_bytes(body) if body else None)
        run = await self._http.retry(deadline, lambda: self._http.object(request, deadline, ("id", "status")))
        return run_of(self, run)


def _values(values: _Text | Iterable[_Text] | None) -> _Text | list[_Text] | None:
    return cast("_Text", values) if values is None or isinstance(values, str) else list(values)


def _time(time: datetime.datetime | None) -> str | None:
    """RFC 3339 in UTC. A time without a zone is local."""
    return time.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z") if time else None
