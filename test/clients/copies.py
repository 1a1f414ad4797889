"""Copies and pickles each error and a run. Argument: the base URL of a server that knows no run. Prints what differs."""

import asyncio
import concurrent.futures
import copy
import multiprocessing
import pickle
import sys

import agent_runs
from agent_runs._api_error import ErrorResponse

DATA = {"failure": None, "finish_reason": "steps", "usage": {"dollars": 0.5}}
ISSUES = [{"type": "missing", "loc": ["body", "name"], "msg": "Field required"}]
RESPONSE = ErrorResponse(429, "too many", "too_many_runs", "r-1", 7.0, ISSUES)


def runs():
    for kind in (agent_runs.Run, agent_runs.AsyncRun):
        yield kind(object(), "run-1", "terminated", None, DATA)


def errors():
    for kind in map(vars(agent_runs).get, agent_runs.__all__):
        if not isinstance(kind, type) or not issubclass(kind, Exception):
            continue
        if issubclass(kind, agent_runs.APIError):
            made = [kind("GET /ext/v1/runs/run-1", RESPONSE)]
        elif kind is agent_runs.CreateOutcomeUnknown:
            made = [kind("no answer", "order-1")]
        elif kind is agent_runs.RunFailed:
            made = [kind(run) for run in runs()]
        else:
            made = [kind("what was wrong")]
        for error in made:
            error.run_id = "run-1"
            yield error


def facts(value):
    """All that a copy must have: of a run, all but its client."""
    attributes = {name: each for name, each in vars(value).items() if name != "_client_runs"}
    comparable = {
        name: facts(each) if isinstance(each, (agent_runs.Run, agent_runs.AsyncRun)) else each
        for name, each in attributes.items()
    }
    return type(value), str(value), comparable


def differences():
    ways = {"copy": copy.copy, "deepcopy": copy.deepcopy}
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        ways[f"pickle {protocol}"] = lambda value, protocol=protocol: pickle.loads(pickle.dumps(value, protocol))
    for value in [*errors(), *runs()]:
        for name, way in ways.items():
            try:
                found = facts(way(value))
            except Exception as error:
                found = repr(error)
            if found != facts(value):
                yield f"{name} of {type(value).__name__}: {found}"


def message_of(call):
    try:
        value = call()
        return asyncio.run(value) if asyncio.iscoroutine(value) else value
    except agent_runs.AgentRunsError as error:
        return str(error)


def get(url):
    with agent_runs.AgentRuns(url, "ak_test") as client:
        return client.runs.get("run-1")


if __name__ == "__main__":
    print(len({type(error) for error in errors()}), "classes")
    for line in differences():
        print(line)
    for run in runs():
        assert copy.deepcopy(run)._runs is copy.copy(run)._runs is run._runs
        print(message_of(pickle.loads(pickle.dumps(run)).stop))
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        try:
            pool.submit(get, sys.argv[1]).result()
        except agent_runs.RunNotFound as error:
            print("the worker raised", error)
