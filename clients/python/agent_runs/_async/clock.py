from __future__ import annotations

import math
import time
from typing import Protocol

from .. import _io
from .._errors import WaitTimeout


class AsyncClock(Protocol):
    """The time, for tests that must not wait."""

    def now(self) -> float:
        """Seconds. Only differences are used."""

    async def sleep(self, seconds: float, /) -> None: ...


class AsyncSystemClock:
    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float, /) -> None:
        await _io.async_sleep(seconds)


class AsyncDeadline:
    """The time until which a call may take, over all its requests and waits."""

    def __init__(self, clock: AsyncClock, timeout: float | None = None) -> None:
        """`timeout`: seconds from now. None: no limit."""
        self._clock = clock
        self._timeout = math.inf if timeout is None else timeout
        self._end = clock.now() + self._timeout
        # Something has answered a request of the call.
        self.answered = False
        # The error of the last attempt. None: it succeeded.
        self.last_error: Exception | None = None
        # What the call waits for besides the end of the run, as a clause.
        self.waits_for: str | None = None

    def remaining(self) -> float:
        """Seconds, at least 0."""
        return max(0.0, self._end - self._clock.now())

    async def sleep(self, seconds: float) -> None:
        """Waits, but not beyond the deadline: then, it raises `WaitTimeout`."""
        remaining = self.remaining()
        await self._clock.sleep(min(seconds, remaining))
        if seconds >= remaining:
            raise self.timeout_error()

    def failed(self, error: Exception) -> None:
        """Notes why an attempt failed. One that the deadline has cut off says nothing."""
        if self.remaining() > 0:
            self.last_error = error

    def timeout_error(self) -> WaitTimeout:
        error = self.last_error
        clauses = [
            f"the run did not end within {self._timeout:g} s",
            *([self.waits_for] if self.waits_for else []),
            *([f"the last request failed: {error}"] if error else []),
        ]
        timeout = WaitTimeout("; ".join(clauses))
        timeout.__cause__ = error
        return timeout
