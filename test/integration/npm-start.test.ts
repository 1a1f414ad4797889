import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { findOllama, type FoundModel } from "../../bin/local/found-models.ts";
import { callOf } from "../browser/manage-call.ts";
import { httpServer } from "../support/http-server.ts";
import { done, listed } from "./admin.ts";
import { root } from "./script.ts";
import { create, newDataDir, type Service, startService } from "./service.ts";

// The script is `exec node …`: dash would otherwise stay between npm and the server and not forward signals.
test.skipIf(process.platform === "win32").each([
  ["SIGTERM to npm", "SIGTERM", "npm"],
  ["Ctrl-C (SIGINT to the process group)", "SIGINT", "group"],
] as const)("npm start: %s stops the service, and its data directory is free", async (_, signal, to) => {
  const dataDir = newDataDir();
  const npm = spawn("npm", ["start", "--silent", "--", "--json", "--port", "0", "--data-dir", dataDir], {
    cwd: root,
    detached: true, // in a separate process group
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { pid = 0 } = npm;
  try {
    const lines = createInterface(npm.stdout)[Symbol.asyncIterator]();
    const { base_url } = JSON.parse(String((await lines.next()).value)) as { base_url: string };
    const exited = new Promise((resolve) => npm.once("exit", resolve));
    process.kill(to === "group" ? -pid : pid, signal);
    expect(await Promise.race([exited, sleep(10_000, "npm is still running")])).toBe(0);
    await expect(fetch(`${base_url}/v1/openapi.json`)).rejects.toThrow("fetch failed");
    await using next = await startService(dataDir);
    expect(next.baseUrl).not.toBe(base_url);
  } finally {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // the group has ended
    }
  }
});

/** Options of a model whose server does not respond. */
const model = ["--model", "openai-compatible", "--model-base-url", "http://127.0.0.1:9/v1", "--model-name", "m"];

describe.concurrent("the first screen", () => {
  test("has the console, the API, a new key, a request that works, and the models that were found", async () => {
    const text = await screen([], { ANTHROPIC_API_KEY: "sk-ant-secret", OPENAI_API_KEY: "" });
    expect(text.split("\n").length).toBeLessThan(24);
    expect(text).toMatch(/^\n {2}Agent Run Service \d+\.\d+\.\d+ {2}ready in \d+ ms\n/);
    expect(text).toMatch(/\n {2}Console http:\/\/127\.0\.0\.1:\d+\/console\/#ao_\w+\n/);
    expect(text).toMatch(/\n {2}API {5}http:\/\/127\.0\.0\.1:\d+\/v1 /);
    expect(text).toMatch(/\n {2}Key {5}ak_\w+ {2}shown only once\n/);
    expect(text).toMatch(
      /\n {2}MCP {5}claude mcp add --transport http agent-runs http:\/\/127\.0\.0\.1:\d+\/mcp --header 'Authorization: Bearer ak_\w+'\n/,
    );
    expect(text).toContain("Model   demo");
    expect(text).toContain("Found   ANTHROPIC_API_KEY: npm start -- --model anthropic --model-name claude-");
    expect(text).toContain("--model-secret env:ANTHROPIC_API_KEY --data-dir ");
    expect(text).not.toContain("OPENAI");
    expect(text).not.toContain("sk-ant");
    expect(text).not.toContain("\u001B");
  });

  test("names a configured model, and looks for no other", async () => {
    const text = await screen(model, { ANTHROPIC_API_KEY: "sk-ant-secret" });
    expect(text).toContain("Model   m (openai-compatible, http://127.0.0.1:9/v1)\n");
    expect(text).not.toContain("Found");
  });
});

describe.concurrent("the addresses", () => {
  test.each([
    ["127.0.0.1", "http://127.0.0.1:"],
    ["localhost", "http://localhost:"],
    ["0.0.0.0", "http://127.0.0.1:"],
    ["::", "http://[::1]:"],
    ["0", "http://127.0.0.1:"],
  ])("with --host %s can be called", async (host, start) => {
    await using service = await startService(newDataDir(), ["--host", host]);
    expect(service.baseUrl).toMatch(new RegExp(`^${start.replaceAll(/[[\].]/g, "\\$&")}\\d+$`));
    expect((await create(service, { input_text: "Hello" })).status).toBe(201);
    expect((await fetch(service.consoleUrl)).status).toBe(200);
  });

  test("on the screen can be called, and the others of this machine are named", async () => {
    const text = await screen(["--host", "0.0.0.0"]);
    expect(text).toMatch(/\n {2}API {5}http:\/\/127\.0\.0\.1:\d+\/v1 /);
    expect(text).toMatch(/\n {10}listens on all addresses of this machine[^\n]*; without TLS\n/);
    expect(text).not.toMatch(/\/\/0\.0\.0\.0/);
    const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address));
    for (const [, address] of text.matchAll(/(?:such as|and) http:\/\/([\d.]+):/g)) expect(own).toContain(address);
  });
});

describe.concurrent("the line of the model", () => {
  test("says that runs are refused when the model was removed, disabled or stopped", async () => {
    const dataDir = newDataDir();
    await screen(model, {}, dataDir);
    const [{ id = "" } = {}] = await listed<{ id?: string }>(dataDir, "org", "list");
    await done(dataDir, "org", "stop-models", id);
    expect(modelLine(await screen([], {}, dataDir))).toBe(
      "m (openai-compatible, http://127.0.0.1:9/v1): an operator has stopped all model calls: new runs are rejected until they are resumed",
    );
    await done(dataDir, "org", "resume-models", id);
    await done(dataDir, "org", "clear-model", id);
    expect(modelLine(await screen([], {}, dataDir))).toBe("none: new runs are rejected until you set one");
  });

  test("is the model of the starter agent", async () => {
    const dataDir = newDataDir();
    await screen(model, {}, dataDir);
    const [{ id = "" } = {}] = await listed<{ id?: string }>(dataDir, "agent", "list");
    const file = join(dataDir, "agent.json");
    writeFileSync(file, JSON.stringify({ name: "Starter agent", instructions: "Answer.", model: "own" }));
    await done(dataDir, "agent", "update", id, "--file", file);
    expect(modelLine(await screen([], {}, dataDir))).toBe("own (openai-compatible, http://127.0.0.1:9/v1)");
  });
});

describe.concurrent("the warning about secrets", () => {
  const key = ["--model-secret", "env:SOME_KEY"];

  test("is absent for a key that was entered on the page", async () => {
    const dataDir = newDataDir();
    const service = await startService(dataDir);
    const call = callOf(service);
    const [{ id }] = (await call<{ data: [{ id: string }] }>("GET", "/organizations")).data;
    const entered = { value: "k", hosts: ["127.0.0.1:9"] };
    const { secret } = await call<{ secret: string }>("PUT", `/organizations/${id}/secrets/model-key`, entered);
    const settings = { provider: "openai-compatible", model: "m", base_url: "http://127.0.0.1:9/v1", enabled: true };
    await call("PUT", `/organizations/${id}/model`, { ...settings, secret });
    expect(await secretWarnings(service)).toEqual([]);
    expect(await secretWarnings(await startService(dataDir))).toEqual([]);
  });

  test("names the option for a secret that is not allowed, and what is missing otherwise", async () => {
    const dataDir = newDataDir();
    expect(await secretWarnings(await startService(dataDir, [...model, ...key], { SOME_KEY: "k" }))).toEqual([]);
    const refused = /^the secret of the model of organization \S+ cannot be used, so new runs with it are rejected: /;
    const [notAllowed] = await secretWarnings(await startService(dataDir, [], { SOME_KEY: "k" }));
    expect(notAllowed).toMatch(refused);
    expect(notAllowed).toMatch(/: it is not allowed\. To allow it, add: --allow-secret SOME_KEY$/);
    const [missing] = await secretWarnings(await startService(dataDir, ["--allow-secret", "SOME_KEY"]));
    expect(missing).toMatch(refused);
    expect(missing).toContain(": env:SOME_KEY does not exist or may not be read");
  });
});

test("a warning names an MCP server whose secret is not allowed, and what that means", async () => {
  const dataDir = newDataDir();
  const first = await startService(dataDir, ["--allow-secret", "MCP_TOKEN"]);
  const [{ id = "" } = {}] = await listed<{ id?: string }>(dataDir, "org", "list");
  const headers = { authorization: { secret: "env:MCP_TOKEN" } };
  const definition = {
    name: "With MCP",
    instructions: "Answer.",
    mcp: [{ name: "s", url: "http://127.0.0.1:9/mcp", headers }],
  };
  writeFileSync(join(dataDir, "agent.json"), JSON.stringify(definition));
  const agent = await done(dataDir, "agent", "create", "--org", id, "--file", join(dataDir, "agent.json"));
  await first.end("SIGTERM");
  await using second = await startService(dataDir, [], { MCP_TOKEN: "t" });
  const expected = `the secret of the MCP server s of agent ${agent.id} cannot be used, so agents do not have its tools: it is not allowed. To allow it, add: --allow-secret MCP_TOKEN`;
  await expect.poll(second.errors).toContain(expected);
});

/** The text of the screen's line of the model. */
function modelLine(text: string): string {
  return /\n {2}Model {3}(.*)\n/.exec(text)?.[1] ?? "";
}

/** Ends a service. Resolves with its warnings about secrets. */
async function secretWarnings(service: Service): Promise<string[]> {
  await service.end("SIGTERM");
  return service.errors().match(/(?<=warning: )the secrets? of.*/g) ?? [];
}

describe("a look for Ollama", () => {
  test("finds its models", async () => {
    const body = JSON.stringify({ models: [{ name: "qwen3:8b" }, { name: "$(reboot)" }, { name: "llama3.2" }] });
    expect(await look((response) => response.end(body))).toEqual({
      where: expect.stringMatching(/^Ollama on port \d+, 2 models$/) as string,
      options: expect.stringMatching(
        /^--model openai-compatible --model-base-url \S+\/v1 --model-name qwen3:8b$/,
      ) as string,
    });
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ["another server", (response) => response.end("<html>")],
    ["no models", (response) => response.end('{"models":[]}')],
    ["a server that is silent", () => {}],
    ["a server that never ends", (response) => void Readable.from(endless()).pipe(response)],
  ])("finds nothing: %s", async (_, reply) => {
    expect(await look(reply)).toBeUndefined();
  });
});

function* endless(): Generator<string> {
  for (;;) yield "x".repeat(10_000);
}

/** The screen of a start with these options and variables. */
async function screen(
  args: string[],
  environment: Record<string, string> = {},
  dataDir = newDataDir(),
): Promise<string> {
  const child = spawn(process.execPath, ["bin/local.ts", "--port", "0", "--data-dir", dataDir, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"], ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let text = "";
  child.stdout.on("data", (data: Buffer) => (text += data.toString()));
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  await exited;
  return text;
}

/** A look at a server with this reply. */
async function look(reply: (response: ServerResponse) => void): Promise<FoundModel | undefined> {
  await using server = await httpServer((_, response) => reply(response));
  return await findOllama(AbortSignal.timeout(300), server.port);
}
