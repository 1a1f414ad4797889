import { type IncomingMessage, request } from "node:http";
import { beforeAll, expect, test } from "vitest";
import { type HttpServer, httpServer } from "../support/http-server.ts";
import { main } from "../../bin/conformance/main.ts";
import { done, inProcess } from "./admin.ts";
import type { ProcessResult } from "./script.ts";
import { type Service, startService } from "./service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  return () => service[Symbol.asyncDispose]();
});

function conformance(baseUrl: string, ...args: string[]): Promise<ProcessResult> {
  const { apiKey, templateId } = service;
  return inProcess(main, ["--base-url", baseUrl, "--api-key", apiKey, "--template-id", templateId, ...args]);
}

test("the service passes all cases", async () => {
  const disabled = await done(service.dataDir, "key", "create", "--agent", service.templateId);
  await done(service.dataDir, "key", "disable", disabled.id);
  const other = await done(service.dataDir, "agent", "create", "--file", "examples/assistant.json");
  const otherKey = await done(service.dataDir, "key", "create", "--agent", other.id);
  const optional = ["--disabled-api-key", disabled.key, "--other-api-key", otherKey.key];

  const { code, stdout, stderr } = await conformance(`${service.baseUrl}/`, "--quotes-files", ...optional);
  expect(stdout.split("\n").filter((line) => !line.startsWith("ok   "))).toEqual([
    expect.stringMatching(/^1\d\d passed, 0 failed$/),
    "",
  ]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
});

/** A change that a broken service makes to a response, and the cases that must fail. */
interface Fault {
  breaks: (path: string, status: number, body: string) => string | undefined;
  detectedBy: RegExp;
}

const contractFaults: Fault[] = [
  {
    breaks: (_, status, body) => (status === 401 ? body.replace("Missing API key", "No API key") : undefined),
    detectedBy: /^auth: rejects (no key|an Authorization that is not Bearer|an empty X-API-Key|Bearer without a key)/,
  },
  {
    breaks: (_, status, body) => (status === 413 ? body.replace("exceeds", "is over") : undefined),
    detectedBy: /^files: rejects as too large/,
  },
  {
    breaks: (_, status, body) => (status === 422 ? body.replaceAll("at most 200", "fewer than 201") : undefined),
    detectedBy: /^validation: name of 201/,
  },
  {
    breaks: (_, status, body) => (status === 422 ? body.replaceAll('"list_type"', '"array_type"') : undefined),
    detectedBy: /^validation: files (null|an object)/,
  },
  {
    breaks: (_, status, body) => (status === 422 ? body.replace("'bad.bin'", "'good.bin'") : undefined),
    detectedBy: /^files: rejects base64/,
  },
  {
    breaks: (path, status, body) =>
      path.startsWith("/v1/agents/") && status === 200
        ? body.replaceAll("output_from_agent", "input_to_agent")
        : undefined,
    detectedBy: /^(run: .* polled to finished|files: are in the workspace)/,
  },
  {
    breaks: (path, _, body) => (path === "/v1/openapi.json" ? body.replace('"Agents API"', '"Runs API"') : undefined),
    detectedBy: /^description: OpenAPI 3\.1, title and version/,
  },
  {
    breaks: (path, _, body) =>
      path === "/v1/openapi.json" ? body.replace('"maxItems":10', '"maxItems":11') : undefined,
    detectedBy: /^description: the model PublicCreateAgentRequest/,
  },
];

test("a broken service fails exactly the cases that check what is broken", async () => {
  const faults = contractFaults;
  await using broken = await brokenService(faults);
  const { code, stdout, stderr } = await conformance(broken.url, "--json");
  const { failed, cases } = JSON.parse(stdout) as { failed: number; cases: { name: string; passed: boolean }[] };
  const names = cases.map(({ name }) => name);
  expect(cases.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(
    names.filter((name) => faults.some(({ detectedBy }) => detectedBy.test(name))),
  );
  for (const { detectedBy } of faults) expect(names.some((name) => detectedBy.test(name))).toBe(true);
  expect(stderr).toBe(`${cases.length - failed} passed, ${failed} failed\n`);
  expect(code).toBe(1);
});

test("a failed case prints what was expected and what was received", async () => {
  await using server = await httpServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<p>hello");
  });
  const { code, stdout } = await conformance(server.url);
  expect(stdout).toContain(
    [
      "FAIL read: an unknown run is 404",
      '       expected 404 application/json {"detail": "Agent not found"}',
      "       received 200 text/html <p>hello",
    ].join("\n"),
  );
  expect(stdout).toMatch(/\n0 passed, 1\d\d failed\n$/);
  expect(code).toBe(1);
});

test.each([
  [["--base-url", "http://127.0.0.1:1/v1", "--api-key", "k"], "--template-id"],
  [["--base-url", "127.0.0.1:1", "--api-key", "k", "--template-id", "x"], "--base-url"],
  [["--base-url", "http://127.0.0.1:1", "--api-key", "k", "--template-id", "x"], "--template-id"],
  [["--no-such-option"], "--no-such-option"],
])("wrong options %j print one line and exit with 2", async (args, named) => {
  const { code, stdout, stderr } = await inProcess(main, args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^conformance: [^\n]+\n$/);
  expect(stderr).toContain(named);
});

/** A proxy in front of the real service that applies all faults. */
function brokenService(faults: Fault[]): Promise<HttpServer> {
  return httpServer((incoming, outgoing) => {
    const { method, headers, url: path = "/" } = incoming;
    const forwarded = request(`${service.baseUrl}${path}`, { method: method ?? "GET", headers }, (answer) => {
      void bytesOf(answer).then((body) => {
        const { "transfer-encoding": _coding, ...kept } = answer.headers;
        const { statusCode: status = 500 } = answer;
        const text = body.toString();
        const changed = faults.reduce((before, { breaks }) => breaks(path, status, before) ?? before, text);
        const sent = changed === text ? body : Buffer.from(changed); // a file need not be text
        const length = method === "HEAD" ? {} : { "content-length": sent.length };
        outgoing.writeHead(status, { ...kept, ...length }).end(sent);
      });
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
