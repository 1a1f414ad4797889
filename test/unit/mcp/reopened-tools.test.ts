import { expect, test } from "vitest";
import type { McpServer } from "../../../src/agent/mcp/mcp-types.ts";
import { openTools, reopenTools, type ToolChoice, type ToolDependencies } from "../../../src/agent/toolbox.ts";
import { offeredDefinitions, offeredTools } from "../../../src/agent/tools/tool.ts";
import { httpServer } from "../../support/http-server.ts";
import { files } from "../agent/scripted.ts";
import { mcpServer } from "./mcp-server.ts";

const { signal } = new AbortController();
const dependencies: ToolDependencies = { readSecret: async () => undefined, addresses: "local" };
const choice = (...mcp: McpServer[]): ToolChoice => ({ tools: ["write_file", "run_javascript", "list_files"], mcp });

/** The tools after they were stored and read again. */
async function reopened(agent: ToolChoice, offered: unknown, more: Partial<ToolDependencies> = {}) {
  const stored = JSON.parse(JSON.stringify(offered)) as ReturnType<typeof offeredTools>;
  return reopenTools(agent, stored, { ...dependencies, ...more });
}

async function called(tools: Awaited<ReturnType<typeof openTools>>["tools"], name: string, input: unknown) {
  const tool = tools.find(({ definition }) => definition.name === name);
  return tool?.run(input, { files: files(), signal });
}

test("reopened tools are offered as before and call a server without listing it", async () => {
  await using server = await mcpServer();
  const agent = choice({ name: "team", url: server.url });
  await using first = await openTools(agent, dependencies, signal);
  const before = server.methods.length;
  await using again = await reopened(agent, offeredTools(first.tools));
  expect(server.methods).toHaveLength(before);
  expect(offeredDefinitions(again.tools)).toEqual(offeredDefinitions(first.tools));
  const effects = (tools: typeof first.tools) =>
    tools
      .filter(({ unavailable }) => unavailable === undefined)
      .map(({ hasEffects, idempotent }) => [hasEffects, idempotent]);
  expect(effects(again.tools)).toEqual(effects(first.tools));
  expect(await called(again.tools, "team__add", { a: 1, b: 2 })).toMatchObject({ text: "3" });
  expect(await called(again.tools, "team__add", { a: "1" })).toMatchObject({ error: true });
  expect(await called(again.tools, "team__send_mail", {})).toMatchObject({ text: "the mailbox is full", error: true });
  expect(server.methods.slice(before)).not.toContain("tools/list");
  expect(server.calls).toEqual(["add", "send.mail"]);
});

test("a server that is away offers the same tools, and its calls return an error", async () => {
  const agents = await (async () => {
    await using server = await mcpServer();
    const agent = choice({ name: "team", url: server.url });
    await using opened = await openTools(agent, dependencies, signal);
    return { agent, offered: offeredTools(opened.tools) };
  })();
  await using again = await reopened(agents.agent, agents.offered);
  expect(again.problems).toEqual([]);
  expect(offeredDefinitions(again.tools).map(({ name }) => name)).toContain("team__add");
  expect(await called(again.tools, "team__add", { a: 1, b: 2 })).toMatchObject({
    error: true,
    text: expect.stringContaining("did not answer"),
  });
});

test("the placeholders of a server that could not be listed stay, although it answers by now", async () => {
  await using broken = await httpServer((_, response) => void response.writeHead(500).end());
  await using working = await mcpServer();
  const named = { name: "named", tools: ["add"] };
  const offered = await (async () => {
    const agent = choice({ name: "team", url: broken.url }, { ...named, url: broken.url });
    await using opened = await openTools(agent, dependencies, signal);
    return offeredTools(opened.tools);
  })();
  await using again = await reopened(
    choice({ name: "team", url: working.url }, { ...named, url: working.url }),
    offered,
  );
  const names = offeredDefinitions(again.tools).map(({ name }) => name);
  expect(names).toEqual(["write_file", "list_files", "team__unavailable", "named__add"]);
  expect(await called(again.tools, "team__unavailable", {})).toMatchObject({ error: true });
  expect(await called(again.tools, "named__add", { a: 1, b: 2 })).toMatchObject({ text: "3" });
});

test("a built-in tool that is unavailable by now is still offered, and one that became available is not", async () => {
  const agent = choice();
  await using first = await openTools(agent, dependencies, signal); // no sandbox
  const offered = offeredTools(first.tools);
  expect(offered.map(({ name }) => name)).toEqual(["write_file", "list_files", "read_result"]);
  const sandbox = { run: async () => ({ ok: true }) } as never;
  await using later = await reopened(agent, offered, { sandbox });
  expect(offeredDefinitions(later.tools).map(({ name }) => name)).toEqual(["write_file", "list_files"]);

  await using withSandbox = await openTools(agent, { ...dependencies, sandbox }, signal);
  const gone = { name: "removed_tool", description: "Was here.", input: { type: "object" } };
  await using without = await reopened(agent, [...offeredTools(withSandbox.tools), gone]);
  expect(offeredDefinitions(without.tools).map(({ name }) => name)).toContain("run_javascript");
  expect(await called(without.tools, "run_javascript", { code: "1" })).toMatchObject({ error: true });
  expect(await called(without.tools, "removed_tool", {})).toMatchObject({
    error: true,
    text: "The tool removed_tool does not exist anymore.",
  });
});

/** The tools that ask for an approval, at the beginning of a turn and when it continues. */
async function asking(of: ToolChoice): Promise<string[][]> {
  await using first = await openTools(of, dependencies, signal);
  await using again = await reopened(of, offeredTools(first.tools));
  return [first.tools, again.tools].map((tools) =>
    tools.filter(({ asks }) => asks === "approval").map(({ definition }) => definition.name),
  );
}

test("with the organization's rule, tools with effects ask, unless the agent has a rule for them", async () => {
  await using server = await mcpServer();
  const agent = { ...choice({ name: "team", url: server.url }), mcpToolPolicy: "ask" as const };
  const withEffects = ["team__send_mail", "team__set", "team__draw"]; // team__add has readOnlyHint
  expect(await asking(agent)).toEqual([withEffects, withEffects]);
  const own = ["team__add", "team__draw"];
  const toolPolicy = { "team__send.mail": "allow", team__set: "deny", team__add: "ask" } as const;
  expect(await asking({ ...agent, toolPolicy })).toEqual([own, own]);
  expect(await asking({ ...agent, toolPolicy: { "team__*": "allow" } })).toEqual([[], []]);
  expect(await asking({ ...agent, mcpToolPolicy: "allow" })).toEqual([[], []]);
});
