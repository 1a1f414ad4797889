from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable

from .. import _io
from .._answer import ClientTools, is_settled, raised_answer, returned_answer
from .._api_error import APIError
from .._http import log
from .._types import OpenCall
from .clock import AsyncDeadline


class AsyncCallServer:
    """Answers calls with functions, each call once."""

    def __init__(
        self,
        tools: ClientTools,
        send: Callable[[bytes], Awaitable[object]],
        deadline: AsyncDeadline,
    ) -> None:
        self._tools = tools
        self._send = send
        self._deadline = deadline
        # Answers that the server has not accepted yet, as bodies of requests.
        self._answers: dict[str, bytes] = {}
        self._done: set[str] = set()
        # Calls without a function that were named in the log.
        self._missing: set[str] = set()

    async def serve(self, calls: Iterable[OpenCall]) -> bool:
        """Answers the calls that have a function, one after the other. Returns whether there was one."""
        calls = list(calls)
        own = [call for call in calls if self._has_function(call)]
        self._name_others([call for call in calls if call["name"] not in self._tools])
        for call in own:
            if call["id"] not in self._answers:
                self._answers[call["id"]] = await self._call(call)
            try:
                await self._send(self._answers[call["id"]])
            except APIError as error:
                if not is_settled(error):
                    raise
            del self._answers[call["id"]]
            self._done.add(call["id"])
        return bool(own)

    def _has_function(self, call: OpenCall) -> bool:
        return call["kind"] != "approval" and call["name"] in self._tools and call["id"] not in self._done

    def _name_others(self, calls: list[OpenCall]) -> None:
        """Says which calls of client tools wait for somebody else: their names may be misspelt here."""
        names = ", ".join(self._tools) or "none"
        clauses = [f"the call {call['id']} of {call['name']} ({call['kind']}) has no function here" for call in calls]
        self._deadline.waits_for = "; ".join(clauses) or None
        for call in calls:
            if call["kind"] == "client_tool" and call["id"] not in self._missing:
                self._missing.add(call["id"])
                missing = "serve_tools has no function %s, which the call %s waits for; it has: %s"
                log.warning(missing, call["name"], call["id"], names)

    async def _call(self, call: OpenCall) -> bytes:
        """The answer of the function. What cannot be sent, such as a file that does not exist, becomes an error."""
        try:
            arguments = json.loads(call["arguments"])
            seconds = self._deadline.remaining()
            returned = await _io.async_call_within(seconds, self._tools[call["name"]], arguments)
            return await _io.async_work(lambda: returned_answer(call, returned))
        except _io.TooLate:
            raise self._deadline.timeout_error() from None
        except Exception as error:
            # The model reads only the message, and may ignore the error.
            log.warning("the function %s raised in the call %s", call["name"], call["id"], exc_info=True)
            return raised_answer(call, error)
