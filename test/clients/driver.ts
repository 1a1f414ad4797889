import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import {
  AgentRuns,
  AgentRunsError,
  type ClientTools,
  type Event,
  type FileInput,
  Run,
  type TextPlace,
  ToolOutput,
} from "../../clients/typescript/src/index.ts";
import { root } from "../integration/script.ts";
import { python, pythonClient } from "./python.ts";

/** A call of a client, with the names of Python and times in milliseconds. */
export interface Job {
  baseUrl: string;
  /** Options of the client. */
  client?: { api_key?: string; base_url?: string; template_id?: string; timeout?: number; max_retries?: number };
  /** Waits in real time. Otherwise, a wait takes no time and is recorded. */
  realTime?: boolean;
  /** A method of `client.runs`, or `agent`. */
  method: string;
  /** Positional arguments. */
  args?: (string | object)[];
  options?: Record<string, unknown> & { timeout?: number };
  /** Pass `on_event`. `"raise"`: it raises `CallbackError`. */
  onEvent?: "record" | "raise";
  /** Pass `on_text`. */
  onText?: "record";
  /** The functions of `serve_tools`: what each does. */
  tools?: Record<string, { returns?: unknown; files?: (string | [string, string])[]; raises?: string; never?: true }>;
  /** Number of items to take from an iterator. */
  take?: number;
}

export interface Outcome {
  value?: unknown;
  error?: Record<string, unknown> & { name: string; message: string };
  events: unknown[];
  /** Texts that `on_text` got, with turn and step. */
  texts: unknown[];
  /** The calls of functions: name and arguments. */
  called: unknown[];
  /** Milliseconds. */
  sleeps: number[];
  /** What the client logged, with the times replaced. */
  log: string[];
}

export interface Driver extends AsyncDisposable {
  run(job: Job): Promise<Outcome>;
}

class CallbackError extends Error {
  override name = "CallbackError";
}

const typescriptDriver = (): Driver => ({
  run: runInTypescript,
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

async function runInTypescript(job: Job): Promise<Outcome> {
  const sleeps: number[] = [];
  const events: Event[] = [];
  const texts: unknown[] = [];
  const called: unknown[] = [];
  let now = 0;
  const sleep = (milliseconds: number): Promise<void> => {
    sleeps.push(Math.round(milliseconds));
    now += milliseconds;
    return Promise.resolve();
  };
  const {
    api_key: apiKey = "ak_test",
    base_url: baseUrl = job.baseUrl,
    template_id: templateId,
    timeout,
    max_retries: maxRetries,
  } = job.client ?? {};
  const log: string[] = [];
  const logger = { debug: (line: string) => void log.push(line.replace(/in \d+ ms$/, "in N ms")) };
  const onEvent = (event: Event): void => {
    if (job.onEvent === "raise") throw new CallbackError("from the callback");
    events.push(event);
  };
  const onText = (text: string, { turn, step }: TextPlace): void => void texts.push([text, turn, step]);
  const callbacks = { ...(job.onEvent && { onEvent }), ...(job.onText && { onText }) };
  const options = { ...camelCase(job.options ?? {}), ...callbacks };
  const functions = Object.entries(job.tools ?? {}).map(([name, { returns, files, raises, never }]) => {
    const run = async (args: unknown): Promise<unknown> => {
      called.push([name, args]);
      if (raises !== undefined) throw new CallbackError(raises);
      if (files) return new ToolOutput(returns, files.map(fileOf));
      return never ? new Promise(() => {}) : returns;
    };
    return [name, run] as const;
  });
  const tools: ClientTools = Object.fromEntries(functions);
  try {
    const client = new AgentRuns({
      baseUrl,
      apiKey,
      ...(templateId !== undefined && { templateId }),
      ...(timeout !== undefined && { timeout }),
      ...(maxRetries !== undefined && { maxRetries }),
      logger,
      ...(job.realTime !== true && { clock: { now: () => now, sleep } }),
    });
    return { value: valueOf(await call(client, { ...job, tools }, options)), events, texts, called, sleeps, log };
  } catch (error) {
    return { error: errorFields(error), events, texts, called, sleeps, log };
  }
}

type Prepared = Omit<Job, "tools"> & { tools: ClientTools };

async function call(
  client: AgentRuns,
  { method, args = [], take = Infinity, tools }: Prepared,
  options: object,
): Promise<unknown> {
  if (method === "agent") return client.agent();
  const runs = client.runs as unknown as Record<string, (...args: unknown[]) => unknown>;
  const name = method.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const { timeout, onEvent, onText, raiseOnFailure, ...create } = options as Record<string, unknown>;
  const both = [create, { timeout, onEvent, onText, raiseOnFailure }];
  const more: Record<string, unknown[]> = {
    createAndWait: both,
    answer: [answerOf(create)],
    serveTools: [tools, options],
  };
  const result = runs[name]?.(...args, ...(more[name] ?? [options]));
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return result;
  const items: unknown[] = [];
  for await (const item of result as AsyncIterable<unknown>) {
    items.push(valueOf(item));
    if (items.length === take) break;
  }
  return items;
}

/** The answer of a call, from the options of Python. */
function answerOf({ allow, reason, ...others }: Record<string, unknown>): object {
  if (allow === undefined) return others;
  return { decision: allow === true ? "allow" : "deny", ...(reason !== undefined && { reason }) };
}

function camelCase(options: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      name === "files" ? (value as (string | [string, string])[]).map(fileOf) : value,
    ]),
  );
}

/** A path, or a name with the content. */
function fileOf(file: string | [string, string]): FileInput {
  return typeof file === "string" ? file : { name: file[0], content: file[1] };
}

function valueOf(value: unknown): unknown {
  if (typeof value === "object" && value !== null && "next" in value && "data" in value) {
    return { ...value, data: (value.data as unknown[]).map(valueOf) };
  }
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (!(value instanceof Run)) return value;
  const { id, status, output, result, resultError, waiting, openCalls } = value;
  return {
    id,
    status,
    output,
    ...(result !== null && { result }),
    ...(resultError && { result_error: resultError }),
    ...(waiting && { waiting, open_calls: openCalls }),
  };
}

function errorFields(error: unknown): NonNullable<Outcome["error"]> {
  if (!(error instanceof AgentRunsError)) {
    const { name, message } = error as Error;
    return { name, message };
  }
  const fields = error as unknown as Record<string, unknown>;
  const { name, message, runId: run_id, idempotencyKey: idempotency_key, retryAfter: retry_after } = fields;
  const { status, code, requestId: request_id, issues } = fields;
  const found = { run_id, idempotency_key, retry_after, status, code, request_id, issues };
  const known = Object.entries(found).filter(([, value]) => value !== undefined);
  return { name: String(name), message: String(message), ...Object.fromEntries(known) };
}

/** Runs calls in one process of Python, one after the other. */
async function pythonDriver(kind: "sync" | "async"): Promise<Driver> {
  const child: ChildProcessWithoutNullStreams = spawn(
    await python("python"),
    ["-W", "error", "test/clients/driver.py", kind],
    { cwd: root, env: { ...process.env, PYTHONPATH: pythonClient } },
  );
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async run(job) {
      child.stdin.write(`${JSON.stringify(job)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the driver ended: ${errors}`);
      return JSON.parse(value) as Outcome;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** The drivers of all clients, by the language of the client. */
export const drivers: Record<string, () => Driver | Promise<Driver>> = {
  TypeScript: typescriptDriver,
  Python: () => pythonDriver("sync"),
  "Python with asyncio": () => pythonDriver("async"),
};
