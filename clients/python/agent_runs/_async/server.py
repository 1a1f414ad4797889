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
        # An error: the server has the extension API, and the credential is a token of one run, which does not show the
        # agent.
        self._found: Agent | APIError | None = None

    async def agent(self, deadline: AsyncDeadline) -> Agent | None:
        """The agent of the API key. None: the server has the API v1 only."""
        found = await self._find(deadline)
        if isinstance(found, APIError):
            raise found
        return found

    async def wait_seconds(self, deadline: AsyncDeadline) -> int | None:
        """The seconds that a read may wait. None: the server has the API v1 only."""
        found = await self._find(deadline)
        if found is None:
            return None
        # Servers before 0.2 have no `wait_seconds`.
        return 0 if isinstance(found, APIError) else found.get("wait_seconds", 0)

    async def _find(self, deadline: AsyncDeadline) -> Agent | APIError | None:
        if not self._known:
            self._found = await self._read(deadline)
            self._known = True
        return self._found

    async def _read(self, deadline: AsyncDeadline) -> Agent | APIError | None:
        try:
            request = Request(*filled(Ext.get_agent))
            return cast(Agent, await self._http.object(request, deadline, ("id", "max_inline_bytes")))
        except APIError as error:
            if error.code == "token_reads_one_run":
                return error
            is_unknown_path = error.status == 404 and error.code is None
            if is_unknown_path:
                return None
            raise

    async def require(self, what: str, deadline: AsyncDeadline) -> None:
        """Raises `NotSupported` if the server has v1 only. `what`: what the caller wants to do."""
        if await self._http.retry(deadline, lambda: self._find(deadline)) is None:
            raise NotSupported(f"the server at {self._http.base_url} has only the API v1, which cannot {what}")
