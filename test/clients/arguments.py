"""Prints how the Python client rejects arguments of the wrong kind. Argument: the base URL of a server."""

import pathlib
import sys
import uuid

import agent_runs


def rejections(client):
    call = {"id": "1.1.0", "arguments_sha256": "0" * 64}
    calls = [
        lambda: client.runs.create(name="Test", idempotency_key=4711),
        lambda: client.runs.create(name="Test", labels={"customer": uuid.UUID(int=1)}),
        lambda: client.runs.create(name="Test", files="sales.csv"),
        lambda: client.runs.create_and_wait(name="Test", files=pathlib.Path("sales.csv")),
        lambda: client.runs.create(name="Test", files=("sales.csv", b"a,b\n")),
        lambda: client.runs.create(name="Test", files={"sales.csv": b"a,b\n"}),
        lambda: client.runs.create(name="Test", files=b"x" * 1000),
        lambda: client.runs.create(name="Test", files=None),
        lambda: client.runs.create(name="Test", files=[("sales.csv", b"a,b\n"), ("notes.txt", "text")]),
        lambda: client.runs.create(name="Test", files=[b"sales.csv"]),
        lambda: client.runs.get(uuid.UUID(int=1)),
        lambda: client.runs.download("run-1", "\udc80"),
        lambda: client.runs.send_input("run-1", b"Hello"),
        lambda: client.runs.answer("run-1", call),
        lambda: client.runs.answer("run-1", call, allow=False, output=None),
        lambda: client.runs.answer("run-1", call, output=float("nan")),
    ]
    for each in calls:
        try:
            each()
        except ValueError as error:
            assert isinstance(error, agent_runs.InvalidArgument)
            yield str(error)


with agent_runs.AgentRuns(sys.argv[1], "ak_test") as client:
    for line in rejections(client):
        print(line)
