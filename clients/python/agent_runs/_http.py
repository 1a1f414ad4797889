"""Requests and responses, without sending them."""

from __future__ import annotations

import dataclasses
import email.utils
import json
import logging
import math
import time
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx

from ._api_error import APIError, ErrorResponse
from ._errors import InvalidArgument, UnexpectedResponse, error_of, is_transient, parsed_issues
from ._files import Content
from ._version import __version__

log = logging.getLogger("agent_runs")
"""Gets a line (DEBUG) for each answer, and for each request that will be repeated."""
longest_backoff = 30.0
"""Seconds."""
slowest = 100_000
"""Bytes per second of a slow connection: large bodies get more time."""


@dataclasses.dataclass(frozen=True)
class Request:
    method: str
    path: str
    """A path below the base URL, or a whole URL."""
    query: Mapping[str, str | list[str] | None] = dataclasses.field(default_factory=dict)
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    body: bytes | Content | None = None
    """JSON. With PUT, a file."""
    follow: bool = False
    """Follow redirects. Other redirects are an error: a POST would lose its body."""

    @property
    def body_size(self) -> int:
        """Bytes."""
        return self.body.size if isinstance(self.body, Content) else len(self.body or b"")

    def __str__(self) -> str:
        return f"{self.method} {self.path.partition('?')[0]}"


def filled(operation: tuple[str, str], **values: str) -> tuple[str, str]:
    """The method of an operation, and its path with the values of the parameters."""
    method, path = operation
    return method, path.format(**{name: _encoded(name, value) for name, value in values.items()})


def _encoded(name: str, value: str) -> str:
    """A value in a path. An empty one would be another path."""
    try:
        if isinstance(value, str) and value != "":
            return quote(value, safe="")
    except UnicodeEncodeError:  # half of a surrogate pair
        pass
    raise InvalidArgument(f"{name} is {value!r}; accepted: a text that is not empty")


def json_bytes(body: Mapping[str, Any]) -> bytes:
    """JSON without the fields that are None."""
    try:
        return json.dumps({name: value for name, value in body.items() if value is not None}, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"one of {', '.join(body)} cannot be sent as JSON: {error}") from error


@dataclasses.dataclass(frozen=True)
class Origin:
    """A server and the credential for it."""

    base_url: str
    api_key: str

    def arguments(self, request: Request) -> dict[str, Any]:
        """The arguments of httpx that make a request, without its body. Other servers do not get the key."""
        url = httpx.URL(self.base_url + request.path if request.path.startswith("/") else request.path)
        headers = {"user-agent": f"agent-run-client/{__version__} (python)"}
        if request.method in ("POST", "PATCH"):
            headers["content-type"] = "application/json"
        if isinstance(request.body, Content):
            headers["content-length"] = str(request.body.size)  # otherwise, httpx would send a file in chunks
        if origin_of(url) == origin_of(httpx.URL(self.base_url)):
            headers["authorization"] = f"Bearer {self.api_key}"
        parameters = {name: value for name, value in request.query.items() if value is not None}
        return {
            "method": request.method,
            "url": url.copy_merge_params(parameters) if parameters else url,
            "headers": {**headers, **request.headers},
        }

    def proxy_of(self, request: Request) -> str:
        """For errors of connections: which proxy of the environment a request goes through, without its password."""
        url: httpx.URL = self.arguments(request)["url"]
        proxies = urllib.request.getproxies()
        proxy = proxies.get(url.scheme) or proxies.get("all")
        if not proxy or urllib.request.proxy_bypass(url.host):
            return ""
        address = proxy.rpartition("@")[2].rpartition("://")[2]
        return f" (through the proxy {address} of the environment variables; NO_PROXY={url.host} connects without it)"

    def unexpected(self, request: Request, what: str) -> UnexpectedResponse:
        return UnexpectedResponse(
            f"{request} was answered with {what}. Is {self.base_url} the base URL of an Agent Run Service?"
        )

    def parse_object(self, request: Request, content_type: str, content: bytes, fields: tuple[str, ...]) -> Any:
        """The JSON object of a response that has these fields. Raises `UnexpectedResponse` for anything else."""
        value = parse(content) if "json" in content_type else None
        if isinstance(value, dict) and all(field in value for field in fields):
            return value
        beginning = json.dumps(content[:80].decode(errors="replace"), ensure_ascii=False)
        raise self.unexpected(request, f"{content_type or 'no content type'}, beginning with {beginning}")


def origin_of(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def parse(content: bytes) -> Any:
    """A JSON value. None: it is not JSON."""
    try:
        return json.loads(content)
    except ValueError:
        return None


def error_from(request: Request, response: httpx.Response, content: bytes) -> APIError:
    body = parse(content)
    fields = body if isinstance(body, dict) else {}
    detail, code = fields.get("detail"), fields.get("code")
    issues = parsed_issues(detail)
    text = "; ".join(f"{'.'.join(map(str, issue['loc']))}: {issue['msg']}" for issue in issues)
    answer = ErrorResponse(
        status=response.status_code,
        detail=detail if isinstance(detail, str) else text or content[:200].decode(errors="replace"),
        code=code if isinstance(code, str) else None,
        request_id=response.headers.get("x-request-id"),
        retry_after=_seconds(response.headers.get("retry-after")),
        issues=issues,
    )
    return error_of(str(request), answer)


def backoff(error: Exception, failures: int, first: float = 1.0, longest: float = math.inf) -> float | None:
    """
    Seconds before the next attempt: 1 doubling to 30, or what the server asked for. None: it will not help, or is later
    than `longest`.
    """
    if not is_transient(error):
        return None
    asked = (error.retry_after or 0.0) if isinstance(error, APIError) else 0.0
    pause = max(asked, min(longest_backoff, first * 2.0 ** min(failures - 1, 10)))
    if pause > longest:
        return None
    log.debug("%s; next attempt in %g s", error, pause)
    return pause


def _seconds(retry_after: str | None) -> float | None:
    """Seconds of a header `Retry-After`, which is a number or a date."""
    if retry_after is None:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None
