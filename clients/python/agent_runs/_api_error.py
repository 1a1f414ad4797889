"""The base classes of errors."""

from __future__ import annotations

import dataclasses
from typing import Any, TypedDict


class AgentRunsError(Exception):
    """The base class of all errors of this client."""

    run_id: str | None = None
    """The run that the failed call was about, if it exists. It continues."""

    def __reduce__(self) -> tuple[Any, ...]:
        """
        For `copy` and `pickle`, which the pools of `multiprocessing` use. By default, Python would call the class with
        the message alone, and some classes have other parameters.
        """
        return _made_again, (type(self), self.args), self.__dict__


def _made_again(kind: type[AgentRunsError], args: tuple[Any, ...]) -> AgentRunsError:
    """An error with this message. Its attributes follow."""
    return kind.__new__(kind, *args)


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
    """The reason, for programs. None: a proxy answered."""
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
