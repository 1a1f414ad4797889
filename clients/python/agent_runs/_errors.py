"""What can go wrong. Every error is an `AgentRunsError`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard, cast

from ._api_error import AgentRunsError, APIError, ErrorResponse, Issue
from ._error_classes import (
    ERROR_CLASSES,
    AuthenticationError,
    InvalidRequest,
    PayloadTooLarge,
    RateLimited,
    ServiceUnavailable,
)

if TYPE_CHECKING:
    from ._async.run import AsyncRun
    from ._sync.run import Run


class InvalidArgument(AgentRunsError, ValueError):
    """The client does not accept an argument. The message says what it received, and what it accepts."""


class ConnectionFailed(AgentRunsError):
    """No answer, or not the whole answer, arrived: the connection failed, or the request timed out."""


class UnexpectedResponse(AgentRunsError):
    """Something answered that is not the service: another content type, a redirect, or JSON of another shape."""


class NotSupported(AgentRunsError):
    """The server has no extension API, `/ext/v1`."""


class WaitTimeout(AgentRunsError):
    """
    The deadline passed. The run continues: wait again with `runs.wait(error.run_id)`. Without `run_id`, no run was
    created.
    """


class CreateOutcomeUnknown(AgentRunsError):
    """
    No answer to a create arrived, so the run may exist or not. Repeat the create with `idempotency_key`, which returns
    the run if it exists.
    """

    def __init__(self, message: str, idempotency_key: str) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class RunFailed(AgentRunsError):
    """The run did not finish, and the call had `raise_on_failure`. `run` says why."""

    def __init__(self, run: Run | AsyncRun) -> None:
        failure = run.failure
        super().__init__(f"{failure['title']}. {failure['remedy']}" if failure else f"run {run.id} is {run.status}")
        self.run = run
        self.run_id = run.id


class WebhookVerificationError(AgentRunsError):
    """The headers of a webhook do not prove that the service sent this payload."""


def error_of(call: str, response: ErrorResponse) -> APIError:
    """The error of a response that is not a success."""
    known = ERROR_CLASSES.get(response.code) if response.code else None
    return (known or _class_of_status(response.status))(call, response)


def _class_of_status(status: int) -> type[APIError]:
    """For a code that a later release of the service added, and for answers without a code."""
    known = {401: AuthenticationError, 413: PayloadTooLarge, 422: InvalidRequest, 429: RateLimited}
    return known.get(status, ServiceUnavailable if status >= 500 else APIError)


def is_transient(error: BaseException) -> TypeGuard[ConnectionFailed | APIError]:
    """Whether the same request can succeed later: no answer, or status 408, 429 or from 500."""
    if isinstance(error, APIError):
        return error.status >= 500 or error.status in (408, 429)
    return isinstance(error, ConnectionFailed)


def parsed_issues(detail: Any) -> list[Issue]:
    return cast("list[Issue]", detail) if isinstance(detail, list) else []
