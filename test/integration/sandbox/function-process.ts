import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What Lambda does with a function: loads the handler, and calls it with an event. */
const lambda = `
  const { handler } = require("./index.js");
  const context = { getRemainingTimeInMillis: () => 900_000 };
  process.on("message", (event) => {
    handler(event, context).then((response) => process.send({ response }), ({ message }) => process.send({ message }));
  });
`;

/** A function in a process of its own. It handles one event at a time, as an execution environment does. */
export interface FunctionProcess {
  /** Resolves with the response. Rejects with the function's error. */
  invoke(event: unknown): Promise<unknown>;
  /** Peak of the resident memory in MB, without child processes. On Linux. */
  peakMemory(): number;
  close(): void;
}

/** Starts the bundle in `folder` with only this environment. */
export function startFunction(folder: string, env: Record<string, string>): FunctionProcess {
  writeFileSync(join(folder, "lambda.cjs"), lambda);
  const options = { execArgv: [], stdio: ["ignore", "ignore", "ignore", "ipc"] as const, env };
  const child: ChildProcess = fork(join(folder, "lambda.cjs"), { ...options, stdio: [...options.stdio] });
  let last: Promise<unknown> = Promise.resolve();

  async function invokeNext(event: unknown): Promise<unknown> {
    child.send(event as object);
    const [answer] = (await once(child, "message")) as [{ response?: unknown; message?: string }];
    if (answer.message !== undefined) throw new Error(answer.message);
    return answer.response;
  }

  return {
    invoke(event) {
      const result = last.then(() => invokeNext(event));
      last = result.catch(() => {});
      return result;
    },
    peakMemory() {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024);
    },
    close: () => void child.kill("SIGKILL"),
  };
}
