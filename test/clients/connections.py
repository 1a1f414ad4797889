"""Prints what the Python client does in a second event loop and with proxies. Argument: the base URL of a server."""

import asyncio
import os
import sys

import agent_runs


def message_of(call):
    try:
        return call()
    except agent_runs.AgentRunsError as error:
        return f"{type(error).__name__}: {error}"


def made(kind, url="http://service.invalid"):
    return kind(url, "ak_test", max_retries=0)


client = made(agent_runs.AsyncAgentRuns, sys.argv[1])
for _ in range(2):
    print(asyncio.run(client.runs.get("run-1")).status)

os.environ["HTTP_PROXY"] = "http://user:secret@127.0.0.1:9"
print(message_of(lambda: made(agent_runs.AgentRuns).agent()))
print(message_of(lambda: asyncio.run(made(agent_runs.AsyncAgentRuns).agent())))

os.environ["ALL_PROXY"] = "socks5://127.0.0.1:9"
print(message_of(lambda: made(agent_runs.AgentRuns)))
print(message_of(lambda: made(agent_runs.AsyncAgentRuns)))
