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

from ._errors import InvalidArgument

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


class AsyncPool:
    """
    The httpx client of the event loop that runs: connections belong to a loop, and programs use several (Celery,
    Streamlit, notebooks; encode/httpx#2473).
    """

    def __init__(self, given: httpx.AsyncClient | None) -> None:
        """`given`: the client of the caller, who knows its loop, and closes it."""
        self._given = given
        self.is_own = given is None
        self._own: dict[asyncio.AbstractEventLoop, httpx.AsyncClient] = {}
        # Of the first loop. Made here, so that wrong settings are said before the first request.
        self._first = own_client(httpx.AsyncClient) if given is None else None

    def client(self) -> httpx.AsyncClient:
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        if loop not in self._own:
            # The connections of a closed loop cannot be closed any more.
            self._own = {each: client for each, client in self._own.items() if not each.is_closed()}
            self._own[loop] = self._first or own_client(httpx.AsyncClient)
            self._first = None
        return self._own[loop]

    async def aclose(self) -> None:
        """Closes the connections of this loop. Those of the others can be closed in them only."""
        client = self._first or self._own.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()


class Pool:
    """The httpx client."""

    def __init__(self, given: httpx.Client | None) -> None:
        """`given`: the client of the caller, who closes it."""
        self.is_own = given is None
        self._client = given or own_client(httpx.Client)

    def client(self) -> httpx.Client:
        return self._client

    def close(self) -> None:
        if self.is_own:
            self._client.close()


def own_client(make: Callable[[], Value]) -> Value:
    """httpx's error for a SOCKS proxy in the environment is an ImportError."""
    try:
        return make()
    except ImportError as error:
        raise InvalidArgument(
            f"the environment names a proxy that cannot be used (ALL_PROXY, HTTP_PROXY or HTTPS_PROXY): {error} "
            "Or pass http_client=httpx.Client(trust_env=False) for no proxy (httpx.AsyncClient with asyncio)"
        ) from error
    except ValueError as error:
        raise InvalidArgument(
            f"the environment names a proxy that is none (ALL_PROXY, HTTP_PROXY or HTTPS_PROXY): {error}"
        ) from error


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
