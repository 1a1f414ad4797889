import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { handler as notFound } from "../../../lambdas/not-found.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";
import { asApiFunction } from "../../support/lambda-function.ts";

let service: ManageService;
beforeAll(async () => {
  service = await manageService();
});
afterAll(() => service[Symbol.asyncDispose]());

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const versions = {
  "2025-11-25": { method: "tools/list", headers: {}, params: "{}" },
  "2026-07-28": {
    method: "tools/list",
    headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" },
    params: JSON.stringify({ _meta: envelope }),
  },
};

interface Listing {
  id: string;
  path: string;
  version: keyof typeof versions;
}

/** Lists the tools. `id`: as JSON text. */
async function list(accept: string, { id = "1", path = "/mcp", version = "2025-11-25" }: Partial<Listing> = {}) {
  const { method, headers, params } = versions[version];
  const response = await fetch(`${service.baseUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json", accept, ...headers },
    body: `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`,
  });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

describe.each(["2025-11-25", "2026-07-28"] as const)("a client of %s", (version) => {
  it.each(["application/json", "*/*", "application/*, text/plain;q=0.5"])(
    "that accepts %s gets JSON",
    async (accept) => {
      const { status, type, text } = await list(accept, { version });
      expect([status, type]).toEqual([200, "application/json"]);
      expect(JSON.parse(text)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
    },
  );

  it("gets its id as it sent it, beyond 2^53", async () => {
    for (const id of ["9007199254740993", "-12345678901234567890", "9007199254740991"]) {
      for (const accept of ["application/json", "application/json, text/event-stream"]) {
        const { text } = await list(accept, { id, version });
        expect(text).toContain(`"id":${id}`);
        expect(text).toContain('"tools":[');
      }
    }
  });
});

it("a client that accepts event streams gets one", async () => {
  for (const accept of ["application/json, text/event-stream", "text/event-stream"]) {
    expect(await list(accept)).toMatchObject({ status: 200, type: "text/event-stream" });
  }
});

it("a client that accepts neither is refused", async () => {
  expect(await list("text/html")).toMatchObject({ status: 406, text: expect.stringContaining("Not Acceptable") });
});

it("the address may end with a slash", async () => {
  expect(await list("application/json", { path: "/mcp/" })).toMatchObject({ status: 200 });
  expect(await list("application/json", { path: "/mcp/x" })).toMatchObject({ status: 404 });
});

it.each([
  ["", "/mcp"],
  ["prefix=sales", "/mcp?prefix=sales"],
])(
  "API Gateway, which has no route with a slash, names the address without it: %j",
  async (rawQueryString, location) => {
    const requestContext = { requestId: "R", http: { method: "POST" } };
    const response = await asApiFunction(notFound)({
      headers: {},
      rawPath: "/mcp/",
      rawQueryString,
      body: "{}",
      isBase64Encoded: false,
      requestContext,
    });
    expect([response.statusCode, response.headers?.["location"]]).toEqual([308, location]);
  },
);
