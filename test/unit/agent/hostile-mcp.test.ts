import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { openTools } from "../../../lambdas/agent/tools/index.ts";
import { files } from "./scripted.ts";

type Request = { id?: number; method: string; params?: { cursor?: string } };

/** A server that speaks just enough of MCP, and answers lists and calls with whatever it likes. */
async function hostileServer(answer: (request: Request, response: ServerResponse) => unknown) {
  const server = createServer((incoming, response) => {
    if (incoming.method !== "POST") return void response.writeHead(405).end();
    void json(incoming).then((body) => {
      const request = body as Request;
      const say = (result: unknown): void => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id: request.id, result }));
      };
      if (request.method === "initialize") {
        const serverInfo = { name: "hostile", version: "1" };
        return say({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
      }
      if (request.method !== "tools/list" && request.method !== "tools/call") {
        return void response.writeHead(request.id === undefined ? 202 : 404).end();
      }
      const result = answer(request, response);
      if (result !== undefined) say(result);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return {
    open: () =>
      openTools(
        { tools: [], mcp: [{ name: "s", url }] },
        { secretOf: async () => undefined, privateAddresses: true },
        new AbortController().signal,
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const context = { files: files(), signal: new AbortController().signal };
const done = { content: [{ type: "text", text: "done" }] };
const image = (letter: string) => ({
  type: "image",
  mimeType: "image/png",
  data: Buffer.from(letter).toString("base64"),
});
const tool = (inputSchema: object) => ({ tools: [{ name: "t", inputSchema: { type: "object", ...inputSchema } }] });

describe("a hostile MCP server", () => {
  it.each([
    ["a pattern that takes for ever", { properties: { a: { type: "string", pattern: "^(a+)+$" } } }],
    ["such a pattern for names", { patternProperties: { "^(a+)+$": {} }, additionalProperties: false }],
    [
      "such a pattern below others",
      { $defs: { x: { anyOf: [{ pattern: "^(a+)+$" }] } }, properties: { a: { $ref: "#/$defs/x" } } },
    ],
  ])("stops nothing with %s: what it checks is its own", async (_, schema) => {
    await using server = await hostileServer(({ method }) => (method === "tools/list" ? tool(schema) : done));
    await using opened = await server.open();
    const begun = performance.now();
    const long = `${"a".repeat(40)}!`;
    expect(
      await opened.tools[0]?.run({ a: long, ...("patternProperties" in schema && { [long]: 1 }) }, context),
    ).toEqual({
      text: "done",
    });
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it("brings nothing down with a schema whose answer is a promise: what can be checked still is", async () => {
    const schema = { $async: true, required: ["pattern"], properties: { pattern: { type: "string" } } };
    await using server = await hostileServer(({ method }) => (method === "tools/list" ? tool(schema) : done));
    await using opened = await server.open();
    expect(await opened.tools[0]?.run({}, context)).toMatchObject({
      error: true,
      text: expect.stringContaining("pattern"),
    });
    expect(await opened.tools[0]?.run({ pattern: 1 }, context)).toMatchObject({ error: true });
    expect(await opened.tools[0]?.run({ pattern: "x" }, context)).toEqual({ text: "done" });
  });

  it("keeps the images of calls that were made at the same time apart", async () => {
    let calls = 0;
    await using server = await hostileServer(({ method }) =>
      method === "tools/list" ? tool({}) : { content: [image(String(++calls))] },
    );
    await using opened = await server.open();
    const space = files();
    const outputs = await Promise.all(
      [1, 2, 3].map(async () => opened.tools[0]?.run({}, { ...context, files: space })),
    );
    const names = outputs.map((output) => output?.attachments?.[0]?.name ?? "");
    expect(names.map((name) => Buffer.from(space.content.get(name) ?? []).toString()).toSorted()).toEqual([
      "1",
      "2",
      "3",
    ]);
  });

  it("with a list that never ends is given up", { timeout: 30_000 }, async () => {
    let pages = 0;
    await using server = await hostileServer(() => ({ ...tool({}), nextCursor: String(++pages) }));
    await using opened = await server.open();
    expect(pages).toBeLessThan(100_000);
    expect(opened.tools.length).toBeLessThanOrEqual(100);
  });

  it.each([
    ["100 MB", (response: ServerResponse) => endless(response, 100 * 1024 * 1024)],
    ["a status that there is none of", (response: ServerResponse) => void response.writeHead(999).end("x")],
    [
      "nonsense",
      (response: ServerResponse) => void response.writeHead(200, { "content-type": "application/json" }).end("{"),
    ],
    [
      "a redirect elsewhere",
      (response: ServerResponse) => void response.writeHead(307, { location: "http://169.254.169.254/" }).end(),
    ],
    ["a broken connection", (response: ServerResponse) => void response.destroy()],
  ])("that answers a call with %s is an error result", { timeout: 20_000 }, async (_, answer) => {
    await using server = await hostileServer(({ method }, response) => {
      if (method === "tools/list") return tool({});
      answer(response);
      return undefined;
    });
    await using opened = await server.open();
    const begun = performance.now();
    const signal = AbortSignal.timeout(5_000);
    const outcome = await opened.tools[0]?.run({}, { ...context, signal }).catch((error: unknown) => error);
    expect(outcome).toMatchObject({
      error: true,
      text: expect.stringMatching(/^The MCP server s did not answer the call/),
    });
    expect(performance.now() - begun).toBeLessThan(4_000);
  });
});

function endless(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { "content-type": "application/json" });
  const piece = Buffer.alloc(65_536, 32);
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= piece.length;
      if (!response.write(piece)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}
