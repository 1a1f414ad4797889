"""Runs calls of the Python client: one JSON object per line in, one out. Argument: sync or async."""

import asyncio
import inspect
import json
import logging
import pathlib
import re
import sys

import agent_runs

FIELDS = ("run_id", "idempotency_key", "retry_after", "status", "code", "request_id", "issues")


class CallbackError(Exception):
    pass


class Log(logging.Handler):
    """What the client logged, with the times replaced."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(re.sub(r"in \d+ ms$", "in N ms", self.format(record)))


class FakeClock:
    """A clock on which waits take no time, and are recorded."""

    def __init__(self):
        self.time = 0.0
        self.sleeps = []

    def now(self):
        return self.time

    def sleep(self, seconds):
        self.sleeps.append(round(seconds * 1000))
        self.time += seconds


class FakeAsyncClock(FakeClock):
    async def sleep(self, seconds):
        super().sleep(seconds)


def file_of(file):
    """A path, or a name with the content."""
    return file if isinstance(file, str) else (file[0], file[1].encode())


def prepare(job, clock):
    """The options of the client, and those of the call."""
    client = {"base_url": job["baseUrl"], "api_key": "ak_test", **job.get("client", {})}
    options = dict(job.get("options", {}))
    for each in (client, options):
        if "timeout" in each:
            each["timeout"] /= 1000
    if "files" in options:
        options["files"] = [file_of(file) for file in options["files"]]
    seen = {"events": [], "texts": [], "called": []}
    if "onText" in job:
        options["on_text"] = lambda text, place: seen["texts"].append([text, place.turn, place.step])
    if "onEvent" in job:

        def on_event(event):
            if job["onEvent"] == "raise":
                raise CallbackError("from the callback")
            seen["events"].append(event)

        options["on_event"] = on_event
    if not job.get("realTime"):
        client["clock"] = clock
    return client, options, seen


def functions_of(job, seen, is_async):
    """The functions of `serve_tools`."""

    def function_of(name, does):
        def function(arguments):
            seen["called"].append([name, arguments])
            if "raises" in does:
                raise CallbackError(does["raises"])
            if "files" in does:
                return agent_runs.ToolOutput(does["returns"], [file_of(file) for file in does["files"]])
            return does.get("returns")

        async def async_function(arguments):
            if "never" in does:
                seen["called"].append([name, arguments])
                await asyncio.Event().wait()
            return function(arguments)

        return async_function if is_async else function

    return {name: function_of(name, does) for name, does in job["tools"].items()}


def arguments_of(job, seen, is_async):
    return [*job.get("args", []), *([functions_of(job, seen, is_async)] if "tools" in job else [])]


def run(job):
    clock = FakeClock()
    client_options, options, seen = prepare(job, clock)
    try:
        with agent_runs.AgentRuns(**client_options) as client:
            if job["method"] == "agent":
                value = client.agent()
            else:
                value = getattr(client.runs, job["method"])(*arguments_of(job, seen, False), **options)
            if inspect.isgenerator(value):
                items = []
                for item in value:
                    items.append(item)
                    if len(items) == job.get("take"):
                        break
                value = items
            return {"value": plain(value), **seen, "sleeps": clock.sleeps}
    except Exception as error:
        return {"error": fields_of(error), **seen, "sleeps": clock.sleeps}


async def run_async(job):
    clock = FakeAsyncClock()
    client_options, options, seen = prepare(job, clock)
    try:
        async with agent_runs.AsyncAgentRuns(**client_options) as client:
            if job["method"] == "agent":
                value = await client.agent()
            else:
                value = getattr(client.runs, job["method"])(*arguments_of(job, seen, True), **options)
                if inspect.isawaitable(value):
                    value = await value
            if inspect.isasyncgen(value):
                items = []
                async for item in value:
                    items.append(item)
                    if len(items) == job.get("take"):
                        break
                await value.aclose()
                value = items
            return {"value": plain(value), **seen, "sleeps": clock.sleeps}
    except Exception as error:
        return {"error": fields_of(error), **seen, "sleeps": clock.sleeps}


def plain(value):
    if isinstance(value, (agent_runs.Run, agent_runs.AsyncRun)):
        more = {"result": value.result, "result_error": value.result_error}
        found = {name: each for name, each in more.items() if each is not None}
        if value.waiting:
            found.update(waiting=True, open_calls=value.open_calls)
        return {"id": value.id, "status": value.status, "output": value.output, **found}
    if isinstance(value, (agent_runs.RunPage, agent_runs.AsyncRunPage)):
        return {"data": plain(value.data), "next": value.next}
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, pathlib.Path):
        return str(value)
    return [plain(each) for each in value] if isinstance(value, list) else value


def fields_of(error):
    known = {name: getattr(error, name, None) for name in FIELDS}
    found = {name: value for name, value in known.items() if value is not None}
    return {"name": type(error).__name__, "message": str(error), **found}


for line in sys.stdin:
    job = json.loads(line)
    logger, log = logging.getLogger("agent_runs"), Log()
    logger.handlers = [log]
    logger.setLevel(logging.DEBUG)
    outcome = asyncio.run(run_async(job)) if sys.argv[1] == "async" else run(job)
    print(json.dumps({**outcome, "log": log.lines}), flush=True)
