"""What differs between the two clients. `_async` uses the functions `async_…`, and `_sync` those named `sync_…`."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import math
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

import httpx

Value = TypeVar("Value")

async_sleep = asyncio.sleep
sync_sleep = time.sleep


async def async_call(function: Callable[..., object], *values: object) -> None:
    """Calls a function of the user, which may be a coroutine function."""
    result = function(*values)
    if inspect.isawaitable(result):
        await result


def sync_call(function: Callable[..., object], *values: object) -> None:
    function(*values)


class TooLate(Exception):
    """A function took longer than it may."""


async def async_call_within(seconds: float, function: Callable[[Value], object], value: Value) -> object:
    """The result of a function of the user. Raises `TooLate` for a coroutine function that takes longer."""
    result = function(value)
    if not inspect.isawaitable(result):
        return result
    task = asyncio.ensure_future(result)
    try:
        await asyncio.wait({task}, timeout=None if math.isinf(seconds) else seconds)
        if task.done():
            return task.result()
        raise TooLate
    finally:
        task.cancel()


def sync_call_within(seconds: float, function: Callable[[Value], object], value: Value) -> object:
    """The result of a function of the user, which cannot be interrupted."""
    return function(value)


async def async_work(function: Callable[[], Value]) -> Value:
    """Calls a function that takes long, such as one that reads a file."""
    return await asyncio.to_thread(function)


def sync_work(function: Callable[[], Value]) -> Value:
    return function()


async def async_parts(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The parts of a file."""
    while (part := await asyncio.to_thread(next, parts, None)) is not None:
        yield part


def sync_parts(parts: Iterator[bytes]) -> Iterator[bytes]:
    return parts


async def async_body(response: httpx.Response, seconds: float) -> AsyncIterator[bytes]:
    """The content of a response as it arrives. Raises `httpx.ReadTimeout` if it has not ended within `seconds`."""
    end = time.monotonic() + seconds
    chunks = response.aiter_bytes()
    while True:
        rest = None if math.isinf(seconds) else max(0.0, end - time.monotonic())
        try:
            chunk = await asyncio.wait_for(anext(chunks, None), rest)
        except asyncio.TimeoutError:
            raise httpx.ReadTimeout("timed out") from None
        if chunk is None:
            return
        yield chunk


def sync_body(response: httpx.Response, seconds: float) -> Iterator[bytes]:
    """
    The content of a response as it arrives. Raises `httpx.ReadTimeout` if it has not ended within `seconds`. httpx
    bounds each read only, so a timer cuts the connection.
    """
    connection: Any = response.extensions.get("network_stream")
    is_late = threading.Event()

    def cut() -> None:
        is_late.set()
        with contextlib.suppress(AttributeError, OSError):  # it is closed already
            connection.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), cut)
    timer.daemon = True
    if not math.isinf(seconds):
        timer.start()
    try:
        yield from response.iter_bytes()
    except httpx.TransportError:
        if not is_late.is_set():
            raise
    finally:
        timer.cancel()
    if is_late.is_set():
        raise httpx.ReadTimeout("timed out")
