from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from .. import _io
from .._answer import ClientTools, error_answer, is_settled, output_answer
from .._api_error import APIError
from .._types import OpenCall
from .clock import AsyncDeadline

Answer = dict[str, Any]


class AsyncCallServer:
    """Answers calls with functions, each call once."""

    def __init__(
        self,
        tools: ClientTools,
        send: Callable[[OpenCall, Answer], Awaitable[object]],
        deadline: AsyncDeadline,
    ) -> None:
        self._tools = tools
        self._send = send
        self._deadline = deadline
        # Results that the server has not accepted yet.
        self._results: dict[str, Answer] = {}
        self._done: set[str] = set()

    async def serve(self, calls: Iterable[OpenCall]) -> bool:
        """Answers the calls that have a function, one after the other. Returns whether there was one."""
        own = [call for call in calls if self._has_function(call)]
        for call in own:
            if call["id"] not in self._results:
                self._results[call["id"]] = await self._call(call)
            try:
                await self._send(call, self._results[call["id"]])
            except APIError as error:
                if not is_settled(error):
                    raise
            del self._results[call["id"]]
            self._done.add(call["id"])
        return bool(own)

    def _has_function(self, call: OpenCall) -> bool:
        return call["kind"] != "approval" and call["name"] in self._tools and call["id"] not in self._done

    async def _call(self, call: OpenCall) -> Answer:
        try:
            arguments = json.loads(call["arguments"])
            seconds = self._deadline.remaining()
            return output_answer(await _io.async_call_within(seconds, self._tools[call["name"]], arguments))
        except _io.TooLate:
            raise self._deadline.timeout_error() from None
        except Exception as error:
            return error_answer(error)
