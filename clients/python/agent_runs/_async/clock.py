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

    def remaining(self) -> float:
        """Seconds, at least 0."""
        return max(0.0, self._end - self._clock.now())

    async def sleep(self, seconds: float) -> None:
        """Waits, but not beyond the deadline: then, it raises `WaitTimeout`."""
        remaining = self.remaining()
        await self._clock.sleep(min(seconds, remaining))
        if seconds >= remaining:
            raise self.timeout_error()

    def timeout_error(self) -> WaitTimeout:
        return WaitTimeout(f"the run did not end within {self._timeout:g} s")
