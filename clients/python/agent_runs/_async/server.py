from __future__ import annotations

from typing import cast

from .._api_error import APIError
from .._errors import NotSupported
from .._http import Request, filled
from .._operations import Ext
from .._types import Agent
from .clock import AsyncDeadline
from .http import AsyncHttp


class AsyncServer:
    """What the server can do. It is asked once."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http
        self._known = False
        self._agent: Agent | None = None

    async def agent(self, deadline: AsyncDeadline) -> Agent | None:
        """The agent of the API key. None: the server has the API v1 only."""
        if not self._known:
            self._agent = await self._read(deadline)
            self._known = True
        return self._agent

    async def _read(self, deadline: AsyncDeadline) -> Agent | None:
        try:
            request = Request(*filled(Ext.get_agent))
            return cast(Agent, await self._http.object(request, deadline, ("id", "max_inline_bytes")))
        except APIError as error:
            is_unknown_path = error.status == 404 and error.code is None
            if is_unknown_path:
                return None
            raise

    async def require(self, what: str, deadline: AsyncDeadline) -> None:
        """Raises `NotSupported` if the server has v1 only. `what`: what the caller wants to do."""
        if await self._http.retry(deadline, lambda: self.agent(deadline)) is None:
            raise NotSupported(f"the server at {self._http.base_url} has only the API v1, which cannot {what}")
