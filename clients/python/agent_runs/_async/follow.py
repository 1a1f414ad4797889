from __future__ import annotations

import contextlib
import json
import math
import random
from collections.abc import AsyncGenerator, Callable
from typing import Any

from .. import _io
from .._api_error import AgentRunsError
from .._event_stream import EventStreamParser, Message
from .._http import Request, filled
from .._operations import Ext
from .._types import Event
from .._written_text import TextPlace, WrittenText
from .clock import AsyncDeadline
from .http import AsyncHttp
from .server import AsyncServer

# Seconds before an event stream is opened again, unless the server says otherwise.
_default_retry = 2.0


class AsyncFollower:
    """Reads event streams."""

    def __init__(self, http: AsyncHttp, server: AsyncServer) -> None:
        self._http = http
        self._server = server

    async def events(
        self,
        run_id: str,
        after: int | None,
        deadline: AsyncDeadline,
        *,
        on_text: Callable[[str, TextPlace], object] | None = None,
        until_waiting: bool = False,
    ) -> AsyncGenerator[Event, None]:
        """
        Reads the event stream, and opens it again after its end or an interruption, until it says that the run has
        ended.

        `until_waiting`: end when the run waits for answers, too.
        """
        last_id = None if after is None else str(after)
        retry = _default_retry
        failures = 0
        written = WrittenText()
        while True:
            waits_after = math.inf  # the last event before the run began to wait
            written.restart()
            headers = {"accept": "text/event-stream", **({"last-event-id": last_id} if last_id else {})}
            request = Request(*filled(Ext.list_events, run_id=run_id), headers=headers)
            try:
                await self._server.wait_seconds(deadline)  # raises if the server has no events
                async with contextlib.aclosing(self._messages(request, deadline)) as messages:
                    async for message in messages:
                        failures = 0
                        retry = retry if message.retry is None else message.retry
                        if message.event == "end":
                            return
                        if message.event == "event":
                            event = self._parsed(request, message.data)
                            whole = written.record(event) if on_text else None
                            if on_text and whole:
                                await _io.async_call(on_text, *whole)
                            yield event
                        last_id = message.id or last_id
                        if message.event == "delta" and on_text:
                            shown = written.add(self._parsed(request, message.data))
                            if shown:
                                await _io.async_call(on_text, *shown)
                        if message.event == "run":
                            run = self._parsed(request, message.data)
                            waits_after = run["sequence"] if run.get("state") == "waiting" else math.inf
                        if until_waiting and int(last_id or 0) >= waits_after:
                            return
                pause = retry
            except AgentRunsError as error:
                failures += 1
                next_attempt = self._http.wait_backoff(error, failures, deadline, retry)
                if next_attempt is None:
                    raise
                pause = next_attempt * (1 + random.random() / 4)  # so that many clients do not come back at once
            await deadline.sleep(pause)

    async def _messages(self, request: Request, deadline: AsyncDeadline) -> AsyncGenerator[Message, None]:
        parser = EventStreamParser()
        async with contextlib.aclosing(self._http.stream(request, deadline, "text/event-stream")) as chunks:
            async for chunk in chunks:
                for message in parser.feed(chunk):
                    yield message

    def _parsed(self, request: Request, data: str) -> Any:
        try:
            return json.loads(data)
        except ValueError:
            raise self._http.unexpected(request, f"an event that is not JSON: {data[:80]!r}") from None
