"""What can go wrong. Every error is an `AgentRunsError`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypedDict, TypeGuard, cast

from ._error_classes import ERROR_CLASSES

if TYPE_CHECKING:
    from ._async.run import AsyncRun
    from ._sync.run import Run


class AgentRunsError(Exception):
    """The base class of all errors of this client."""

    run_id: str | None = None
    """The run that the failed call was about, if it exists. It continues."""


class ConnectionFailed(AgentRunsError):
    """No answer, or not the whole answer, arrived: the connection failed, or the request timed out."""


class UnexpectedResponse(AgentRunsError):
    """Something answered that is not the service: another content type, a redirect, or JSON of another shape."""


class NotSupported(AgentRunsError):
    """The server has only the API v1, which cannot do this."""


class WaitTimeout(AgentRunsError):
    """
    The deadline passed. The run continues: wait again with `runs.wait(error.run_id)`. Without `run_id`, no run was
    created.
    """


class CreateOutcomeUnknown(AgentRunsError):
    """
    No answer to a create arrived, so the run may exist or not. Repeat the create with `idempotency_key`, which returns
    the run if it exists. None: the server has only the API v1. Look for the run before you create it again.
    """

    def __init__(self, message: str, idempotency_key: str | None) -> None:
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


class AuthenticationError(APIError):
    """The API key is missing, unknown or disabled."""


class TemplateMismatch(APIError):
    """`template_id` is not the agent of the API key."""


class AgentNotFound(APIError):
    """The agent of the API key was deleted."""


class AgentArchived(APIError):
    """The agent is archived and accepts no new runs."""


class RunNotFound(APIError):
    """The agent of the API key has no such run."""


class FileNotFound(APIError):
    """The run has no such file, or its content at this step is not kept."""


class PayloadTooLarge(APIError):
    """A file, or all together, are larger than the service accepts."""


class InvalidRequest(APIError):
    """A value is missing or wrong. `issues` lists the violations of the schema; it is empty for other reasons."""


class ModelNotConfigured(APIError):
    """The organization has no usable model."""


class WebhookNotConfigured(APIError):
    """The agent has no webhook, so a run cannot have a webhook URL."""


class UploadFailed(APIError):
    """An upload is unknown, expired, incomplete or damaged."""


class IdempotencyKeyReused(APIError):
    """The idempotency key belongs to a create with other values."""


class RateLimited(APIError):
    """
    Too many requests or runs, or the dollars of the day are spent. `retry_after`: seconds to wait, if the server said
    it.
    """


class RunEnded(APIError):
    """The run was stopped or deleted and accepts no input."""


class QueueFull(APIError):
    """The run already has 20 inputs that wait."""


class ServiceUnavailable(APIError):
    """The service failed (status 500 and above)."""


_classes: dict[str, type[APIError]] = {
    each.__name__: each
    for each in (
        AgentArchived,
        AgentNotFound,
        APIError,
        AuthenticationError,
        FileNotFound,
        IdempotencyKeyReused,
        InvalidRequest,
        ModelNotConfigured,
        PayloadTooLarge,
        QueueFull,
        RateLimited,
        RunEnded,
        RunNotFound,
        ServiceUnavailable,
        TemplateMismatch,
        UploadFailed,
        WebhookNotConfigured,
    )
}

# Codes of the reasons that the API v1 gives as text only (its specification, section 7.2).
_codes_of_details = {
    "API key is not valid for the requested template": "template_mismatch",
    "Agent template not found": "agent_deleted",
    "Agent not found": "run_not_found",
}


def error_of(call: str, response: ErrorResponse, is_json: bool) -> APIError:
    """The error of a response that is not a success. `is_json`: the service sent it, not a proxy."""
    code = response.code or (_code_in_v1(response) if is_json else None)
    known = ERROR_CLASSES.get(code) if code else None
    return (_classes[known] if known else _class_of_status(response.status))(call, response)


def _code_in_v1(response: ErrorResponse) -> str | None:
    if response.status == 409:
        return "agent_archived"
    if response.status == 422:
        is_request = response.issues or response.detail.endswith("is not valid base64")
        return "invalid_request" if is_request else "no_model"
    return _codes_of_details.get(response.detail)


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
