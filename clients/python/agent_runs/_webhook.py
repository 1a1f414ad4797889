from __future__ import annotations

import base64
import binascii
import hmac
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypedDict, cast

from ._errors import WebhookVerificationError

_tolerance = 300
"""Seconds by which the clocks of sender and receiver may differ."""


class WebhookData(TypedDict):
    run_id: str
    agent_id: str
    status: str
    turn: int
    labels: dict[str, str]


class WebhookPayload(TypedDict):
    """What a webhook says. Read the run for its output and open calls."""

    type: Literal["run.finished", "run.waiting", "run.failed", "run.terminated", "webhook.test"]
    """An operator sends `webhook.test` to try the receiver. Its `run_id` is all zeros."""
    timestamp: str
    """RFC 3339."""
    data: WebhookData


def verify_webhook(
    payload: str | bytes, headers: Mapping[str, str], secrets: str | Sequence[str], *, now: float | None = None
) -> WebhookPayload:
    """
    Verifies a webhook (Standard Webhooks 1.0) and returns its payload.

    `payload`: the body as it arrived. JSON that was parsed and written again has another signature.
    `headers`: the headers, with any case of names.
    `secrets`: `whsec_…`, or several during a rotation.

    Raises `WebhookVerificationError` if no secret made a signature, the timestamp is more than 5 minutes from `now`,
    the body was parsed, or the secret is not set.
    """
    body = _raw(payload)
    identifier, timestamp, signatures = (
        _header(headers, f"webhook-{name}") for name in ("id", "timestamp", "signature")
    )
    clock = time.time() if now is None else now
    if not timestamp.isdecimal() or abs(clock - int(timestamp)) > _tolerance:
        raise WebhookVerificationError(f"webhook-timestamp {timestamp} is more than {_tolerance} s from the clock here")
    signed = f"{identifier}.{timestamp}.".encode() + body
    given = [_bytes(each[3:]) for each in signatures.split(" ") if each.startswith("v1,")]
    for secret in _texts(secrets):
        key = _bytes(secret.removeprefix("whsec_"))
        if not key:
            raise WebhookVerificationError("the secret is not whsec_ and base64")  # anybody has it
        expected = hmac.digest(key, signed, "sha256")
        if any(hmac.compare_digest(expected, signature) for signature in given):
            return cast(WebhookPayload, json.loads(body))
    raise WebhookVerificationError("webhook-signature does not match: another secret, or the payload was changed")


def _raw(payload: object) -> bytes:
    """Programs often pass what a framework has parsed (stripe/stripe-node#341)."""
    if isinstance(payload, str):
        return payload.encode()
    if isinstance(payload, (bytes, bytearray, memoryview)):
        return bytes(payload)
    raise WebhookVerificationError(
        f"the payload is of the type {type(payload).__name__}; accepted: str or bytes; pass the raw body, because JSON "
        "that was parsed has another signature"
    )


def _texts(secrets: object) -> list[str]:
    given = [secrets] if isinstance(secrets, str) else list(secrets) if isinstance(secrets, Iterable) else []
    if given and all(isinstance(each, str) and each for each in given):
        return given
    raise WebhookVerificationError("the secret is not set; accepted: the text whsec_…, or a list of several")


def _header(headers: Mapping[str, str], name: str) -> str:
    for each, value in headers.items():
        if each.lower() == name:
            return value
    raise WebhookVerificationError(f"the header {name} is missing")


def _bytes(text: str) -> bytes:
    """The bytes of base64. Empty if it is not base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
