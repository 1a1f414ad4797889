"""Client of the Agent Run Service."""

from . import _error_classes
from ._answer import ClientTools, ToolOutput
from ._api_error import AgentRunsError, APIError, Issue
from ._async.client import AsyncAgentRuns
from ._async.clock import AsyncClock
from ._async.run import AsyncRun, AsyncRunPage
from ._async.runs import AsyncRuns
from ._error_classes import *  # noqa: F403
from ._errors import (
    ConnectionFailed,
    CreateOutcomeUnknown,
    InvalidArgument,
    NotSupported,
    RunFailed,
    UnexpectedResponse,
    WaitTimeout,
    WebhookVerificationError,
)
from ._files import FileInput, FileInputs
from ._limits import RunLimits
from ._result import ResultSchema
from ._sync.client import AgentRuns
from ._sync.clock import Clock
from ._sync.run import Run, RunPage, RunStatus
from ._sync.runs import Runs
from ._types import Agent, CreatedRunToken, Event, Failure, OpenCall, ResultError, RunDetail, RunFile, Usage
from ._types import Run as RunSummary
from ._version import __version__
from ._webhook import WebhookData, WebhookPayload, verify_webhook
from ._written_text import TextPlace

__all__ = [
    "APIError",
    "Agent",
    "AgentRuns",
    "AgentRunsError",
    "AsyncAgentRuns",
    "AsyncClock",
    "AsyncRun",
    "AsyncRunPage",
    "AsyncRuns",
    "ClientTools",
    "Clock",
    "ConnectionFailed",
    "CreateOutcomeUnknown",
    "CreatedRunToken",
    "Event",
    "Failure",
    "FileInput",
    "FileInputs",
    "InvalidArgument",
    "Issue",
    "NotSupported",
    "OpenCall",
    "ResultError",
    "ResultSchema",
    "Run",
    "RunDetail",
    "RunFailed",
    "RunFile",
    "RunLimits",
    "RunPage",
    "RunStatus",
    "RunSummary",
    "Runs",
    "TextPlace",
    "ToolOutput",
    "UnexpectedResponse",
    "Usage",
    "WaitTimeout",
    "WebhookData",
    "WebhookPayload",
    "WebhookVerificationError",
    "__version__",
    "verify_webhook",
]
__all__ += _error_classes.__all__
