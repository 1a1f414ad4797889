"""Client of the Agent Run Service."""

from ._async.client import AsyncAgentRuns
from ._async.clock import AsyncClock
from ._async.run import AsyncRun
from ._async.runs import AsyncRuns
from ._errors import (
    AgentArchived,
    AgentNotFound,
    AgentRunsError,
    APIError,
    AuthenticationError,
    ConnectionFailed,
    CreateOutcomeUnknown,
    FileNotFound,
    IdempotencyKeyReused,
    InvalidRequest,
    Issue,
    ModelNotConfigured,
    NotSupported,
    PayloadTooLarge,
    QueueFull,
    RateLimited,
    RunEnded,
    RunFailed,
    RunNotFound,
    ServiceUnavailable,
    TemplateMismatch,
    UnexpectedResponse,
    UploadFailed,
    WaitTimeout,
    WebhookNotConfigured,
    WebhookVerificationError,
)
from ._files import FileInput
from ._sync.client import AgentRuns
from ._sync.clock import Clock
from ._sync.run import Run, RunStatus
from ._sync.runs import Runs
from ._types import Agent, Event, Failure, RunDetail, RunFile, Usage
from ._types import Run as RunSummary
from ._webhook import WebhookData, WebhookPayload, verify_webhook

__all__ = [
    "APIError",
    "Agent",
    "AgentArchived",
    "AgentNotFound",
    "AgentRuns",
    "AgentRunsError",
    "AsyncAgentRuns",
    "AsyncClock",
    "AsyncRun",
    "AsyncRuns",
    "AuthenticationError",
    "Clock",
    "ConnectionFailed",
    "CreateOutcomeUnknown",
    "Event",
    "Failure",
    "FileInput",
    "FileNotFound",
    "IdempotencyKeyReused",
    "InvalidRequest",
    "Issue",
    "ModelNotConfigured",
    "NotSupported",
    "PayloadTooLarge",
    "QueueFull",
    "RateLimited",
    "Run",
    "RunDetail",
    "RunEnded",
    "RunFailed",
    "RunFile",
    "RunNotFound",
    "RunStatus",
    "RunSummary",
    "Runs",
    "ServiceUnavailable",
    "TemplateMismatch",
    "UnexpectedResponse",
    "UploadFailed",
    "Usage",
    "WaitTimeout",
    "WebhookData",
    "WebhookNotConfigured",
    "WebhookPayload",
    "WebhookVerificationError",
    "verify_webhook",
]
