import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { findOllama, type FoundModel } from "../../bin/local/found-models.ts";
import { httpServer } from "../support/http-server.ts";
import { root } from "./script.ts";
import { newDataDir, startService } from "./service.ts";

// The script is `exec node …`: dash would otherwise stay between npm and the server and not forward signals.
test.skipIf(process.platform === "win32").each([
  ["SIGTERM to npm", "SIGTERM", "npm"],
  ["Ctrl-C (SIGINT to the process group)", "SIGINT", "group"],
] as const)(
  "npm start: %s stops the service, and its data directory is free",
  { timeout: 60_000 },
  async (_, signal, to) => {
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
  },
);

describe("the first screen", () => {
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
    const model = ["--model", "openai-compatible", "--model-base-url", "http://127.0.0.1:9/v1", "--model-name", "m"];
    const text = await screen(model, { ANTHROPIC_API_KEY: "sk-ant-secret" });
    expect(text).toContain("Model   m (openai-compatible, http://127.0.0.1:9/v1)\n");
    expect(text).not.toContain("Found");
  });
});

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
async function screen(args: string[], environment: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, ["bin/local.ts", "--port", "0", "--data-dir", newDataDir(), ...args], {
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
