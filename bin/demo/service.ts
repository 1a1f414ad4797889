import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { layout } from "../../src/layout.ts";
import { CliError } from "../cli.ts";

/** The service in a separate process. */
export interface DemoService {
  pid: number;
  baseUrl: string;
  apiKey: string;
  templateId: string;
  consoleUrl: string;
  /** Milliseconds until it accepted requests. */
  milliseconds: number;
  /** Sends a signal. Resolves when the process has ended. */
  end: (signal: NodeJS.Signals) => Promise<void>;
}

/**
 * Starts the service with a model server. `port`: 0 for any free port. `keep` receives what ends it, at once. Rejects with
 * the service's error.
 */
export async function startService(
  { dataDir, modelUrl, port }: { dataDir: string; modelUrl: string; port: number },
  keep: (end: () => Promise<void>) => void,
): Promise<DemoService> {
  const began = performance.now();
  const model = ["--model", "openai-compatible", "--model-base-url", modelUrl, "--model-name", "demo"];
  const args = [layout().service, "--json", "--port", String(port), "--data-dir", dataDir, ...model];
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32", // Ctrl-C reaches only the demo, which ends it in order
  });
  let errors = "";
  child.stderr?.on("data", (data: Buffer) => (errors += data.toString()));
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", (error) => {
      errors += error.message;
      resolve();
    });
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  keep(() => end("SIGTERM"));
  const lines = child.stdout && createInterface(child.stdout);
  const line = await Promise.race([
    new Promise<string>((resolve) => lines?.once("line", resolve)),
    exited.then(() => Promise.reject(new CliError(`the service did not start: ${errors.trim() || "no error"}`))),
  ]);
  const ready = JSON.parse(line) as Record<"base_url" | "template_id" | "console_url", string> & { api_key?: string };
  return {
    pid: child.pid ?? 0,
    baseUrl: ready.base_url,
    apiKey: ready.api_key ?? "",
    templateId: ready.template_id,
    consoleUrl: ready.console_url,
    milliseconds: Math.round(performance.now() - began),
    end,
  };
}

/** Creates a run as a client does. Resolves with its id. */
export async function createDemoRun(
  { baseUrl, apiKey, templateId }: DemoService,
  { text, files }: { text: string; files: Record<string, string> },
): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/agents`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      name: "Demo: killed twice",
      template_id: templateId,
      input_text: text,
      files: Object.entries(files).map(([filename, content]) => ({
        filename,
        content_base64: Buffer.from(content).toString("base64"),
      })),
    }),
  });
  const body = (await response.json()) as { agent_id?: string };
  if (body.agent_id === undefined) throw new CliError(`the run was not created: ${JSON.stringify(body)}`);
  return body.agent_id;
}
