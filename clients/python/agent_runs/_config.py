from __future__ import annotations

import os
import re

import httpx

from ._errors import InvalidArgument


def base_url_of(given: str | None) -> str:
    text = os.environ.get("AGENT_RUN_URL") if given is None else given
    url = (text or "").rstrip("/")
    if re.match(r"https?://[^/]", url) and not url.endswith("/v1") and _is_url(url):
        return url
    problem = "missing" if text is None else repr(text)
    raise InvalidArgument(
        f"the base URL is {problem}: "
        "pass base_url or set AGENT_RUN_URL to a URL such as http://127.0.0.1:8787, without /v1"
    )


def api_key_of(given: str | None) -> str:
    key = ((os.environ.get("AGENT_RUN_KEY") if given is None else given) or "").strip()
    if re.fullmatch(r"[\x21-\x7e]+", key):
        return key
    problem = "malformed" if key else "missing"
    raise InvalidArgument(f"the API key is {problem}: pass api_key or set AGENT_RUN_KEY to ak_…")


def require_within(name: str, value: float, minimum: float, maximum: float) -> None:
    if not isinstance(value, (int, float)) or not minimum <= value <= maximum:  # not NaN
        raise InvalidArgument(f"{name} is {value!r}; accepted: from {minimum:g} to {maximum:g}")


def check_idempotency_key(key: str | None) -> None:
    """Raises `InvalidArgument` for a key that the service would reject, or that no header can have."""
    if key is None or (isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]{1,255}", key)):
        return
    received = f"has {len(key)} characters" if isinstance(key, str) and len(key) > 255 else f"is {key!r}"
    raise InvalidArgument(f"idempotency_key {received}; accepted: 1 to 255 visible ASCII characters, without spaces")


def _is_url(text: str) -> bool:
    try:
        httpx.URL(text)
    except httpx.InvalidURL:
        return False
    return True
