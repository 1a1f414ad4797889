import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool, connectClient } from "../../support/mcp-clients.ts";
import { manageService, type ManageService } from "../../support/manage-service.ts";
import { keyOfOtherAgent } from "../../support/other-agent.ts";

let service: ManageService;
let otherKey: string;
beforeAll(async () => {
  service = await manageService();
  otherKey = await keyOfOtherAgent(service.platform.accounts, service.templateId);
});
afterAll(() => service[Symbol.asyncDispose]());

const tools = ["start_run", "wait_for_run", "get_run", "send_input", "stop_run", "list_files", "read_file"];
const withoutPrefix = new RegExp(`(?<![\\w-])(${tools.join("|")})\\b`);

test.each(["legacy", "auto"] as const)("two agents have different names of tools in one client: %s", async (mode) => {
  const { baseUrl, apiKey } = service;
  const agents = [
    { prefix: "sales", agent: "Starter agent", key: apiKey },
    { prefix: "EU-2_x", agent: "Other agent", key: otherKey },
  ];
  const names: string[] = [];
  for (const { prefix, agent, key } of agents) {
    const client = await connectClient({ baseUrl, apiKey: key }, mode, `?prefix=${prefix}`);
    const listed = await client.listTools(); // the client checks results against the listed schemas from here on
    names.push(...listed.tools.map(({ name }) => name));
    const instructions = client.getInstructions() ?? "";
    expect(instructions).toContain(`1. ${prefix}_start_run gives`);
    for (const text of [instructions, JSON.stringify(listed)]) expect(text).not.toMatch(withoutPrefix);
    expect(listed.tools[0]?.description).toContain(`the agent "${agent}"`);

    const call = (name: string, input: object) => callTool(client, `${prefix}_${name}`, input);
    const large = { filename: "a.txt", text: "start_run ".repeat(20_000) };
    const start = await call("start_run", { name: "Run", input_text: "get_run", files: [large] });
    const { run_id, next } = start.structured as { run_id: string; next: string };
    expect(next).toContain(`Call ${prefix}_wait_for_run`);
    const end = await call("wait_for_run", { run_id });
    expect(end.structured).toMatchObject({ status: "finished" });
    expect(end.structured["next"]).toContain(`${prefix}_read_file`);
    const read = await call("read_file", { run_id, name: "a.txt" });
    expect(read.structured["text"]).toBe(large.text.slice(0, 50_000)); // texts of the run are left alone
    expect(read.text).toContain(`continues: ${prefix}_read_file`);
    expect((await call("read_file", { run_id, name: "b" })).text).toContain(`${prefix}_list_files returns`);
    expect((await call("send_input", { run_id, input_text: "and?" })).structured).toMatchObject({ run_id });
    expect((await call("stop_run", { run_id })).structured).toMatchObject({ status: "terminated" });
    expect((await call("list_files", { run_id })).structured).toMatchObject({ total: 1 });
    await client.close();
  }
  expect(new Set(names).size).toBe(2 * tools.length);
});

test.each([
  ["?prefix=", 'prefix is ""; expected 1 to 24 letters, digits'],
  ["?prefix=a.b", 'prefix is "a.b"; expected'],
  ["?prefix=_a", 'prefix is "_a"; expected'],
  [`?prefix=${"a".repeat(25)}`, "expected 1 to 24 letters"],
  ["?prefix=a&prefix=b", "prefix twice"],
  ["?prefx=sales", 'the parameter "prefx"; this endpoint accepts prefix and agent'],
])("%s is rejected, with a key only", async (query, message) => {
  const request = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  const send = (headers: object) =>
    fetch(`${service.baseUrl}/mcp${query}`, { ...request, headers: { ...request.headers, ...headers } });
  const response = await send({ authorization: `Bearer ${service.apiKey}` });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    jsonrpc: "2.0",
    error: { code: -32_600, message: expect.stringContaining(message) as string },
  });
  expect((await send({})).status).toBe(401);
});

test("a large message to another tool names those that accept it", async () => {
  const client = await connectClient(service, "legacy", "?prefix=sales");
  const call = client.callTool({ name: "sales_get_run", arguments: { run_id: "x".repeat(70_000) } });
  await expect(call).rejects.toThrow("only sales_start_run, sales_send_input, and sales_answer_call accept more than");
  await client.close();
});
