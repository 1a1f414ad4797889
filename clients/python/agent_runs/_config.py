from __future__ import annotations

import os
import re

from ._api_error import AgentRunsError


def base_url_of(given: str | None) -> str:
    text = os.environ.get("AGENT_RUN_URL") if given is None else given
    url = (text or "").rstrip("/")
    if re.match(r"https?://[^/]", url) and not url.endswith("/v1"):
        return url
    problem = "missing" if text is None else repr(text)
    raise AgentRunsError(
        f"the base URL is {problem}: "
        "pass base_url or set AGENT_RUN_URL to a URL such as http://127.0.0.1:8787, without /v1"
    )


def api_key_of(given: str | None) -> str:
    key = ((os.environ.get("AGENT_RUN_KEY") if given is None else given) or "").strip()
    if re.fullmatch(r"[\x21-\x7e]+", key):
        return key
    problem = "malformed" if key else "missing"
    raise AgentRunsError(f"the API key is {problem}: pass api_key or set AGENT_RUN_KEY to ak_…")
