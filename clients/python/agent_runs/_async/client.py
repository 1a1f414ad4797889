from __future__ import annotations

import math
import threading
from types import TracebackType

import httpx

from .. import _io
from .._config import api_key_of, base_url_of, require_within
from .._http import Origin
from .._types import Agent
from .clock import AsyncClock, AsyncDeadline, AsyncSystemClock
from .http import AsyncHttp
from .runs import AsyncRuns
from .server import AsyncServer


class AsyncAgentRuns:
    """
    A client of an Agent Run Service, for the agent of one API key.

    The logger `agent_runs` gets a line (DEBUG) for each answer, and for each request that will be repeated, and one
    (WARNING) with the traceback for each error of a function of `serve_tools`.
    """

    runs: AsyncRuns

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        template_id: str | None = None,
        *,
        timeout: float = 60,
        max_retries: int = 3,
        http_client: httpx.AsyncClient | None = None,
        clock: AsyncClock | None = None,
    ) -> None:
        """
        `base_url`: the address of the service, without `/v1`. By default the environment variable AGENT_RUN_URL.
        `api_key`: `ak_…`. By default the environment variable AGENT_RUN_KEY.
        `template_id`: the ID of the agent that creates mean, one of the key's. By default the key's first one.
        `timeout`: seconds for the answer to one request, and for the next part of a stream or a download.
        `max_retries`: how often a request that may be repeated is, after 429, 5xx and lost connections: 1, 2, 4 … 30 s
        apart. Waits and event streams continue until their own `timeout`, once anything has answered. A download that
        was cut counts anew with each part that arrives.
        `http_client`: sends the requests, for a proxy or own certificates. The caller closes it.
        `clock`: the time. Only tests need it.
        """
        require_within("timeout", timeout, 0.001, threading.TIMEOUT_MAX)
        require_within("max_retries", max_retries, 0, math.inf)
        origin = Origin(base_url_of(base_url), api_key_of(api_key))
        self._pool = _io.AsyncPool(http_client)
        self._http = AsyncHttp(origin, timeout, max_retries, self._pool, clock or AsyncSystemClock())
        self._server = AsyncServer(self._http)
        self.runs = AsyncRuns(self._http, self._server, template_id)

    async def agent(self) -> Agent:
        """The agent of the API key, with its limits, as it was when this client first asked for it."""
        deadline = AsyncDeadline(self._http.clock)
        return await self._http.retry(deadline, lambda: self._server.agent(deadline))

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._pool.aclose()

    async def __aenter__(self) -> AsyncAgentRuns:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
