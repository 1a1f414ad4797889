import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../test/support/free-port.ts";
import type { Measured, Neighbor } from "./neighbour.ts";
import { newDataDir, type Server, startServer } from "./servers.ts";

/** An agent of an organization, and its key. */
export interface Tenant {
  organizationId: string;
  agentId: string;
  apiKey: string;
}

/** A service with an attacker and a neighbor, which belong to different organizations. */
export interface Neighborhood extends AsyncDisposable {
  server: Server;
  /** Base URL of the model server. */
  modelUrl: string;
  attacker: Tenant;
  /** Adds an agent of the attacker whose webhook has this URL. */
  attackerWithWebhook: (url: string) => Promise<Tenant>;
  /** Sends a request with a tenant's key. Resolves with the status and the parsed body. */
  call: (tenant: Tenant, method: string, path: string, body?: object) => Promise<{ status: number; body: Answer }>;
  /** The token of an operator of the attacker's organization. */
  operatorToken: string;
  /** Sends a request to the management API as an operator of all organizations. Rejects for a response that is no success. */
  manage: (method: string, path: string, body?: object) => Promise<Answer>;
  /** What the neighbor notices in this time, in milliseconds. It runs in a process of its own. */
  notices: (measured: Measured, milliseconds: number, more?: Partial<Neighbor>) => Promise<number[]>;
}

/** What one tenant does, and what another one notices. */
export interface Attack {
  name: string;
  measured: Measured;
  more?: Partial<Neighbor>;
  /** Of the slowest measurement; of polls, of the 99th percentile. Milliseconds. */
  target: number;
  /** Resolves when the attack is under way, with a function that ends what the end of the service does not. */
  begin: (place: Neighborhood) => Promise<(() => void) | void>;
}

/** What the benches read of responses. `updated_at`: ISO 8601. */
export interface Answer {
  id?: string;
  status?: string;
  key?: string;
  token?: string;
  updated_at?: string;
  data?: Answer[];
  summary?: { text: string };
}

const root = fileURLToPath(new URL("..", import.meta.url));
const scripts = { model: scriptOf("neighbour-model.ts"), neighbor: scriptOf("neighbour.ts") };

function scriptOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Starts the service of a checkout. Default: this one. */
export async function openNeighborhood(folder: string | undefined): Promise<Neighborhood> {
  const model = await startModel();
  const options = ["--model", "openai-compatible", "--model-base-url", model.url, "--model-name", "m"];
  if (knowsOption(folder, "--allow-address")) options.push("--allow-address", "127.0.0.1"); // of the webhooks' receivers
  const server = await startServer("service", newDataDir(), { more: options, ...(folder !== undefined && { folder }) });
  const origin = `http://127.0.0.1:${server.port}`;
  const token = new URL(server.consoleUrl).hash.slice(1);

  async function request(path: string, key: string, method: string, body?: object) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const received = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return { status: response.status, body: (isJson ? JSON.parse(received) : {}) as Answer };
  }

  async function manage(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await request(`/manage/v1${path}`, token, method, body);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  async function organization(name: string): Promise<string> {
    const { id = "" } = await manage("POST", "/organizations", { name });
    await manage("PUT", `/organizations/${id}/model`, {
      provider: "openai-compatible",
      base_url: model.url,
      model: "m",
    });
    return id;
  }

  async function tenant(organizationId: string, webhook?: string): Promise<Tenant> {
    const tools = ["read_file", "search_files", "run_javascript"];
    const definition = { name: "Agent", instructions: "Work.", tools };
    const { id: agentId = "" } = await manage("POST", "/agents", { organization_id: organizationId, definition });
    const { key: apiKey = "" } = await manage("POST", `/agents/${agentId}/keys`, {});
    if (webhook !== undefined)
      await manage("PUT", `/agents/${agentId}/webhook`, { url: webhook, private_addresses: true });
    return { organizationId, agentId, apiKey };
  }

  const receiver = await freePort();
  const attacker = await tenant(await organization("Attacker"));
  const access = [{ id: attacker.organizationId, role: "operator" }];
  const { token: operatorToken = "" } = await manage("POST", "/operators", { name: "Attacker", organizations: access });
  const neighbor = await tenant(await organization("Neighbor"), `http://127.0.0.1:${receiver}`);
  return {
    server,
    modelUrl: model.url,
    attacker,
    operatorToken,
    attackerWithWebhook: (url) => tenant(attacker.organizationId, url),
    manage,
    call: ({ apiKey }, method, path, body) => request(path, apiKey, method, body),
    async notices(measured, milliseconds, more = {}) {
      const usual = { port: server.port, apiKey: neighbor.apiKey, measured, input: "Hello", receiver, milliseconds };
      const script = [scripts.neighbor, JSON.stringify({ ...usual, ...more })];
      const { stdout } = await promisify(execFile)(process.execPath, script, { maxBuffer: 2 ** 26 });
      return JSON.parse(stdout) as number[];
    },
    async [Symbol.asyncDispose]() {
      await server.end();
      model.process.kill();
    },
  };
}

/** Whether the service of a checkout has an option: an earlier one may not. */
function knowsOption(folder: string | undefined, option: string): boolean {
  return readFileSync(join(folder ?? root, "bin/local/options.ts"), "utf8").includes(option);
}

async function startModel(): Promise<{ url: string; process: ChildProcess }> {
  const process_ = spawn(process.execPath, [scripts.model], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<string>((resolve) => createInterface(process_.stdout).once("line", resolve));
  return { url: `http://127.0.0.1:${port}/v1`, process: process_ };
}
