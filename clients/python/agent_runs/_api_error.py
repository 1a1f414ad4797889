"""The base classes of errors."""

from __future__ import annotations

import dataclasses
from typing import TypedDict


class AgentRunsError(Exception):
    """The base class of all errors of this client."""

    run_id: str | None = None
    """The run that the failed call was about, if it exists. It continues."""


class Issue(TypedDict):
    """One violation of the request's schema."""

    type: str
    loc: list[str | int]
    """The place, such as `["body", "name"]`."""
    msg: str


@dataclasses.dataclass(frozen=True)
class ErrorResponse:
    """What an error response says."""

    status: int
    """HTTP status."""
    detail: str
    """The reason, for people."""
    code: str | None
    """The reason, for programs. None: the API v1 or a proxy answered."""
    request_id: str | None
    """The server's id of the request, for its log."""
    retry_after: float | None
    """Seconds of the header `Retry-After`."""
    issues: list[Issue]
    """With status 422: the violations of the schema."""


class APIError(AgentRunsError):
    """The server rejected the request."""

    def __init__(self, call: str, response: ErrorResponse) -> None:
        """`call`: method and path."""
        super().__init__(f"{call}: {response.status} {response.detail}")
        self.status = response.status
        self.detail = response.detail
        self.code = response.code
        self.request_id = response.request_id
        self.retry_after = response.retry_after
        self.issues = response.issues
