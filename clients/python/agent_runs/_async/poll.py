from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from .._api_error import AgentRunsError
from .clock import AsyncDeadline
from .http import AsyncHttp
from .run import AsyncRun

# Seconds between two polls: the first, the longest, and the growth (specification section 4.2).
_first_poll, _longest_poll, _growth = 3.0, 10.0, 1.5

Found = AsyncRun | Literal["later", "now"]
"""`later`: nothing has happened; the next look follows after a pause. `now`: the next one follows at once."""


async def poll(http: AsyncHttp, deadline: AsyncDeadline, look: Callable[[], Awaitable[Found]]) -> AsyncRun:
    """
    Repeats a look until it has found a run. After a 502 or 503 it waits 1, 2, 4 … 30 s (specification section 7.3).
    """
    interval = _first_poll
    failures = 0
    while True:
        began = http.clock.now()
        try:
            found = await look()
            failures = 0
            if found == "now":
                interval = _first_poll
                continue
            if found != "later":
                return found
            pause = max(0.0, interval - (http.clock.now() - began))  # a server that waited needs no pause
            interval = min(_longest_poll, interval * _growth)
        except AgentRunsError as error:
            failures += 1
            next_attempt = http.wait_backoff(error, failures, deadline)
            if next_attempt is None:
                raise
            pause = next_attempt
        await deadline.sleep(pause)
