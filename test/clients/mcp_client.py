"""Uses the MCP endpoint with the official Python client. Prints one JSON object with what it got.

Usage: mcp_client.py BASE_URL API_KEY legacy|auto|tasks
"""

import asyncio
import base64
import json
import sys
from typing import Any, ClassVar, Literal

import httpx2
from mcp import Client
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Request, RequestParams, Result
from pydantic import Field


class CreatedTask(Result):
    result_type: Literal["task"] = Field("task", alias="resultType")
    task_id: str = Field(alias="taskId")
    status: str


class TaskParams(RequestParams):
    task_id: str = Field(alias="taskId")


class GetTask(Request[TaskParams, Literal["tasks/get"]]):
    name_param: ClassVar[str | None] = "taskId"
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams


class Task(Result):
    status: str
    result: dict[str, Any] | None = None


class Tasks(ClientExtension):
    """Waits for tasks, so that a call returns the result of its task."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self) -> None:
        self.resolved: list[str] = []

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=CreatedTask, resolve=self.resolve)]

    async def resolve(self, created: CreatedTask, context: ClaimContext) -> CallToolResult:
        self.resolved.append(created.task_id)
        while True:
            request = GetTask(params=TaskParams(taskId=created.task_id))
            task = await context.session.send_request(request, Task)
            if task.status != "working":
                return CallToolResult.model_validate(task.result)
            await asyncio.sleep(0.1)


async def use(base_url: str, key: str, mode: str) -> dict[str, Any]:
    tasks = Tasks()
    headers = {"authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=70) as http:
        transport = streamable_http_client(f"{base_url}/mcp", http_client=http)
        async with Client(
            transport,
            mode="legacy" if mode == "legacy" else "auto",
            extensions=[tasks] if mode == "tasks" else None,
        ) as client:
            listed = await client.list_tools()
            content = base64.b64encode(b"one\ntwo\n").decode()
            start = await client.call_tool(
                "start_run",
                {
                    "name": "Python",
                    "input_text": "What does the file say?\ndemo: steps=2 delay=100",
                    "files": [{"filename": "a.txt", "content_base64": content}],
                },
            )
            report = start.structured_content or {}
            run_id = report["run_id"]
            polls = 0
            while report["status"] == "running":
                waited = await client.call_tool("wait_for_run", {"run_id": run_id, "seconds": 1})
                report, polls = waited.structured_content or {}, polls + 1
            read = await client.call_tool("read_file", {"run_id": run_id, "name": "a.txt"})
            missing = await client.call_tool("get_run", {"run_id": "00000000-0000-4000-8000-000000000000"})
            return {
                "instructions": client.instructions,
                "tools": [tool.name for tool in listed.tools],
                "report": report,
                "polls": polls,
                "tasks": [task_id == run_id for task_id in tasks.resolved],
                "file": read.content[0].text,
                "missing": [missing.is_error, missing.content[0].text],
            }


print(json.dumps(asyncio.run(use(*sys.argv[1:4]))))
