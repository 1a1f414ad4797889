import { describe, expect, it, onTestFinished, vi } from "vitest";
import { httpServer } from "../../support/http-server.ts";
import { openTools, type ToolChoice, type ToolDependencies } from "../../../src/agent/toolbox.ts";
import { SecretRefused } from "../../../src/agent/secret.ts";
import type { McpServer } from "../../../src/agent/mcp/mcp-types.ts";
import type { Tool } from "../../../src/agent/tools/tool.ts";
import { mcpServer } from "./mcp-server.ts";
import { files } from "../agent/scripted.ts";

const neverAborts = new AbortController().signal;

const dependencies: ToolDependencies = {
  readSecret: async (name) => (name === "env:TOKEN" ? "s3cret" : undefined),
  addresses: "local",
};

/** The tools that are offered from the first step on. */
async function open(mcp: McpServer[], more: Partial<ToolDependencies> = {}, signal = neverAborts) {
  const toolbox = await openTools({ tools: [], mcp } satisfies ToolChoice, { ...dependencies, ...more }, signal);
  return {
    ...toolbox,
    tools: toolbox.tools.filter(({ when, unavailable }) => when === undefined && unavailable === undefined),
  };
}

function named(tools: Tool[], name: string): Tool {
  const tool = tools.find(({ definition }) => definition.name === name);
  if (!tool) throw new Error(`there is no ${name}: ${tools.map(({ definition }) => definition.name).join()}`);
  return tool;
}

const call = (tool: Tool, input: unknown, space = files(), signal = neverAborts) =>
  tool.run(input, { files: space, signal });

describe("an MCP server", () => {
  it("offers its tools with its name as the prefix and with their effects", async () => {
    await using server = await mcpServer();
    await using opened = await open([{ name: "my-server", url: server.url }]);
    expect(
      opened.tools.map(({ definition, hasEffects, idempotent }) => [definition.name, hasEffects, idempotent]),
    ).toEqual([
      ["my-server__add", undefined, true],
      ["my-server__send_mail", true, undefined],
      ["my-server__set", true, true],
      ["my-server__draw", true, undefined],
    ]);
    expect(opened.tools[0]?.definition).toMatchObject({
      description: "Adds two numbers.",
      input: { type: "object", required: ["a", "b"] },
    });
  });

  it("answers calls, after the input was checked, and is listed once", async () => {
    await using server = await mcpServer();
    await using opened = await open([{ name: "s", url: server.url }]);
    const add = named(opened.tools, "s__add");
    expect(await call(add, { a: 1, b: 2 })).toEqual({ text: "3" });
    expect(await call(add, { a: 20, b: 22 })).toEqual({ text: "42" });
    expect(await call(add, { a: "1" })).toEqual({
      error: true,
      text: expect.stringMatching(/^s__add: .*b.*Received: \{"a":"1"\}. Accepted: \{/),
    });
    expect(server.calls).toEqual(["add", "add"]);
    expect(server.methods.filter((method) => method === "tools/list")).toHaveLength(1);
  });

  it("returns errors as errors, links as text, and images as workspace files", async () => {
    await using server = await mcpServer();
    await using opened = await open([{ name: "s", url: server.url }]);
    expect(await call(named(opened.tools, "s__send_mail"), {})).toEqual({ error: true, text: "the mailbox is full" });
    expect(await call(named(opened.tools, "s__set"), {})).toEqual({ text: "X: https://example.com/x" });
    const space = files();
    const drawn = await call(named(opened.tools, "s__draw"), {}, space);
    const [name = "", audio] = space.content.keys();
    expect(name).toMatch(/^s-[0-9a-f]{12}\.png$/);
    expect(drawn).toEqual({
      text: `[An image, saved as ${name} in the workspace.]\n[A file of type audio/wav, saved as ${audio} in the workspace.]`,
      attachments: [{ name, mediaType: "image/png" }],
    });
    expect(space.content.get(name)?.subarray(1, 4)).toEqual(Buffer.from("PNG"));
  });

  it("receives headers from secrets and offers only the allowed tools", async () => {
    await using server = await mcpServer();
    const headers = { Authorization: { secret: "env:TOKEN", prefix: "Bearer " }, "X-Team": { secret: "env:TOKEN" } };
    await using opened = await open([{ name: "s", url: server.url, headers, tools: ["add", "gone"] }]);
    expect(opened.tools.map(({ definition }) => definition.name)).toEqual(["s__add"]);
    await call(named(opened.tools, "s__add"), { a: 1, b: 1 });
    expect(server.requests.length).toBeGreaterThan(1);
    for (const received of server.requests) {
      expect(received).toMatchObject({ authorization: "Bearer s3cret", "x-team": "s3cret" });
    }
  });

  it("receives no request when its secret may not be sent to it", async () => {
    await using server = await mcpServer();
    const asked: string[] = [];
    const readSecret = async (secret: string, url: string): Promise<never> => {
      asked.push(secret, url);
      throw new SecretRefused("may not be sent to this host");
    };
    const headers = { Authorization: { secret: "env:TOKEN" } };
    await using opened = await open([{ name: "s", url: server.url, headers }], { readSecret });
    expect(opened.problems).toEqual([
      "The MCP server s: it could not be listed: the secret of its header Authorization may not be sent to this host.",
    ]);
    expect(asked).toEqual(["env:TOKEN", server.url]);
    expect(server.requests).toEqual([]);
  });

  it("gets placeholder tools when its secret is missing, it is down, or it is not an MCP server", async () => {
    await using other = await httpServer((_, response) => response.writeHead(500).end("no"));
    await using opened = await open([
      { name: "a", url: "http://127.0.0.1:1/mcp" },
      { name: "b", url: "http://127.0.0.1:1/mcp", tools: ["x", "y"] },
      { name: "c", url: "http://127.0.0.1:1/mcp", headers: { authorization: { secret: "env:NONE" } } },
      { name: "d", url: `${other.url}/mcp` },
    ]);
    expect(opened.tools.map(({ definition }) => definition.name)).toEqual([
      "a__unavailable",
      "b__x",
      "b__y",
      "c__unavailable",
      "d__unavailable",
    ]);
    const outputs = await Promise.all(opened.tools.map((tool) => call(tool, {})));
    for (const output of outputs) expect(output.error).toBe(true);
    expect(outputs[0]?.text).toMatch(
      /The MCP server a could not be listed: .*ECONNREFUSED.*cannot be used in this turn/,
    );
    expect(outputs[1]?.text).toMatch(/The MCP server b did not answer the call: .*ECONNREFUSED/);
    expect(outputs[3]?.text).toMatch(/the secret of its header authorization does not exist/);
    expect(opened.problems).toEqual([
      expect.stringMatching(/^The MCP server a: it could not be listed: [^()]*ECONNREFUSED 127.0.0.1:1\.$/),
      expect.stringMatching(/^The MCP server b: .*ECONNREFUSED/),
      expect.stringMatching(/^The MCP server c: .*the secret of its header/),
      expect.stringMatching(/^The MCP server d: .*status 500/),
    ]);
  });

  it("is connected again by a call of its placeholder, without following redirects", async () => {
    await using server = await mcpServer();
    const { port } = server;
    let alive = false;
    await using proxy = await httpServer((request, response) => {
      if (!alive) return void response.destroy();
      request.headers["x-forwarded"] = "1";
      response.writeHead(307, { location: `http://127.0.0.1:${port}/mcp` }).end();
    });
    const url = `${proxy.url}/mcp`;
    await using opened = await open([{ name: "s", url, tools: ["add"] }]);
    alive = true;
    // It redirects to another origin, which is not followed: a header with a secret would go along.
    expect(await call(named(opened.tools, "s__add"), { a: 1, b: 2 })).toMatchObject({ error: true });
    expect(server.requests).toEqual([]);
  });

  it("is not waited for after the signal aborts", async () => {
    const stop = new AbortController();
    await using silent = await httpServer(() => stop.abort());
    const url = `${silent.url}/mcp`;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }); // no limit of its own ends the wait
    onTestFinished(() => void vi.useRealTimers());
    await using opened = await open([{ name: "s", url }], {}, stop.signal);
    expect(opened.tools).toEqual([]);
  });

  it("is rejected on a private address when only public addresses are allowed", async () => {
    await using server = await mcpServer();
    const urls = [server.url, server.url.replace("127.0.0.1", "localhost"), `http://[::1]:${server.port}/mcp`];
    const mcp = urls.map((url, index) => ({ name: `s${index}`, url }));
    await using opened = await open(mcp, { addresses: "public" });
    for (const tool of opened.tools) {
      expect((await call(tool, {})).text).toMatch(/is not an address of the public internet/);
    }
    expect(opened.tools).toHaveLength(3);
    expect(server.requests).toEqual([]);
  });
});
