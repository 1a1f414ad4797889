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
        # An error: the credential is a token of one run, which does not show the agent.
        self._found: Agent | APIError | None = None

    async def agent(self, deadline: AsyncDeadline) -> Agent:
        """The agent of the API key."""
        found = await self._find(deadline)
        if isinstance(found, APIError):
            raise found
        return found

    async def wait_seconds(self, deadline: AsyncDeadline) -> int:
        """The seconds that a read may wait."""
        found = await self._find(deadline)
        return 0 if isinstance(found, APIError) else found["wait_seconds"]

    async def require(self, deadline: AsyncDeadline) -> None:
        """Raises `NotSupported` if the server has no extension API."""
        await self._http.retry(deadline, lambda: self._find(deadline))

    async def _find(self, deadline: AsyncDeadline) -> Agent | APIError:
        if self._found is None:
            self._found = await self._read(deadline)
        return self._found

    async def _read(self, deadline: AsyncDeadline) -> Agent | APIError:
        try:
            request = Request(*filled(Ext.get_agent))
            return cast(Agent, await self._http.object(request, deadline, ("id", "max_inline_bytes")))
        except APIError as error:
            if error.code == "token_reads_one_run":
                return error
            is_unknown_path = error.status == 404 and error.code is None
            if not is_unknown_path:
                raise
            lacks = f"the server at {self._http.base_url} has no /ext/v1, which this client calls"
            advice = "use the address of an Agent Run Service, without a path of an API, or call v1 over HTTP"
            raise NotSupported(f"{lacks}; {advice}") from error
