"""Uses two agents of the service in one client of a framework. Prints one JSON object with what it got.

Usage: two_agents.py openai-agents|pydantic-ai|langchain BASE_URL KEY_OF_SALES KEY_OF_RESEARCH QUERY_OF_SALES QUERY_OF_RESEARCH

The framework gets one server per agent, at /mcp with the query. A run of each agent is started.
"""

import asyncio
import json
import sys
from typing import Any

prompt = "Reply with yes."


async def openai_agents(servers: dict[str, dict[str, Any]]) -> dict[str, Any]:
    from agents import Agent, RunContextWrapper
    from agents.mcp import MCPServerStreamableHttp, MCPUtil

    connected = [MCPServerStreamableHttp({"url": s["url"], "headers": s["headers"]}) for s in servers.values()]
    for server in connected:
        await server.connect()
    try:
        # What a Runner does with the servers of its agent before it calls the model. It rejects equal names.
        context, agent = RunContextWrapper(None), Agent(name="test", mcp_servers=connected)
        tools = await MCPUtil.get_all_function_tools(connected, False, context, agent)
        answers = [
            (await server.call_tool(name, start_input(name))).structuredContent
            for server in connected
            for name in [tool.name for tool in await server.list_tools()]
            if name.endswith("start_run")
        ]
        return {"tools": [tool.name for tool in tools], "runs": answers}
    finally:
        for server in reversed(connected):
            await server.cleanup()


async def pydantic_ai(servers: dict[str, dict[str, Any]]) -> dict[str, Any]:
    from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.function import FunctionModel

    got: dict[str, Any] = {}

    def model(messages: list[Any], info: Any) -> ModelResponse:
        """Starts a run with each agent, then ends."""
        names = [tool.name for tool in info.function_tools]
        results = [part.content for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        if results:
            got.update(tools=names, runs=results)
            return ModelResponse([TextPart("done")])
        starts = [name for name in names if name.endswith("start_run")]
        return ModelResponse([ToolCallPart(name, start_input(name)) for name in starts])

    toolsets = [MCPToolset(server["url"], headers=server["headers"]) for server in servers.values()]
    await Agent(FunctionModel(model), toolsets=toolsets).run(prompt)
    return got


async def langchain(servers: dict[str, dict[str, Any]]) -> dict[str, Any]:
    from langchain_mcp_adapters.client import MultiServerMCPClient

    connections = {name: {"transport": "streamable_http", **server} for name, server in servers.items()}
    tools = await MultiServerMCPClient(connections).get_tools()
    starts = [tool for tool in tools if tool.name.endswith("start_run")]
    messages = [
        await tool.ainvoke({"type": "tool_call", "id": "1", "name": tool.name, "args": start_input(tool.name)})
        for tool in starts
    ]
    return {
        "tools": [tool.name for tool in tools],
        "runs": [message.artifact["structured_content"] for message in messages],
    }


def start_input(name: str) -> dict[str, Any]:
    return {"name": f"By {name}", "input_text": prompt}


def main(framework: str, base_url: str, *rest: str) -> None:
    keys, queries = rest[:2], rest[2:]
    servers = {
        name: {"url": f"{base_url}/mcp{query}", "headers": {"Authorization": f"Bearer {key}"}}
        for name, key, query in zip(("sales", "research"), keys, queries, strict=True)
    }
    use = {"openai-agents": openai_agents, "pydantic-ai": pydantic_ai, "langchain": langchain}[framework]
    print(json.dumps(asyncio.run(use(servers))))


main(*sys.argv[1:])
