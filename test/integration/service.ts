import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeOf, type TestUser } from "../support/ordinary-user.ts";
import { root } from "./script.ts";

/** `npm start -- --json` as a child process. Disposal ends it and deletes its data directory. */
export interface Service extends AsyncDisposable {
  baseUrl: string;
  apiKey: string;
  templateId: string;
  /** Signs in to the console. */
  consoleUrl: string;
  dataDir: string;
  child: ChildProcess;
  /** What it has written to stderr. */
  errors: () => string;
  /** Sends a signal. Resolves with the exit code or the signal when the process has ended. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

export function newDataDir(): string {
  return mkdtempSync(join(tmpdir(), "agent-runs-"));
}

/** The options for a model on a local server. */
export function modelAt(baseUrl: string): string[] {
  return ["--model", "openai-compatible", "--model-base-url", baseUrl, "--model-name", "m"];
}

/** Starts the service on a free port. Rejects with its stderr when it ends before it is ready. `user`: by default that of the test. */
export async function startService(
  dataDir = newDataDir(),
  args: string[] = [],
  environment: Record<string, string> = {},
  user: TestUser = { ids: {}, variables: {} },
): Promise<Service> {
  const options = ["--json", "--port", "0", "--data-dir", dataDir, "--allow-address", "127.0.0.1"];
  const child = spawn(nodeOf(user), ["bin/local.ts", ...options, ...args], {
    cwd: user.project ?? root,
    env: { ...process.env, ...environment, ...user.variables },
    stdio: ["ignore", "pipe", "pipe"],
    ...user.ids,
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface(child.stdout).once("line", resolve)),
    exited.then((code) => Promise.reject(new Error(`the service ended with ${code}: ${errors}`))),
  ]);
  const { base_url, api_key, template_id, console_url } = JSON.parse(line) as Record<string, string>;
  return {
    baseUrl: base_url ?? "",
    apiKey: api_key ?? "",
    templateId: template_id ?? "",
    consoleUrl: console_url ?? "",
    dataDir,
    child,
    errors: () => errors,
    async end(signal) {
      child.kill(signal);
      return exited;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What a client needs. */
export type Caller = Pick<Service, "baseUrl" | "apiKey" | "templateId">;

export interface RunStatus {
  agent_id: string;
  loop_status: string;
  transcript: { role: string; text: string }[];
}

/** Sends a create request. `name` and `template_id` have defaults. */
export async function create(service: Caller, body: object): Promise<Response> {
  return fetch(`${service.baseUrl}/v1/agents`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "test", template_id: service.templateId, ...body }),
  });
}

/** Creates a run. Resolves with its id. */
export async function createRun(service: Caller, body: object): Promise<string> {
  const response = await create(service, body);
  const answer = (await response.json()) as { agent_id: string };
  if (response.status !== 201) throw new Error(`create answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer.agent_id;
}

export async function read(service: Caller, runId: string): Promise<RunStatus> {
  const response = await fetch(`${service.baseUrl}/v1/agents/${runId}`, { headers: { "x-api-key": service.apiKey } });
  if (response.status !== 200) throw new Error(`get answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as RunStatus;
}

/** Polls a run until it is no longer `running`. */
export async function finished(service: Caller, runId: string): Promise<RunStatus> {
  for (let polls = 0; polls < 3_000; polls++) {
    const run = await read(service, runId);
    if (run.loop_status !== "running") return run;
    await sleep(10);
  }
  throw new Error(`run ${runId} is still running`);
}
