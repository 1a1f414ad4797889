import { answerBody } from "./answer.ts";
import type { Deadline } from "./clock.ts";
import { APIError } from "./errors.ts";
import type { ClientTools } from "./options.ts";
import { Timer } from "./timer.ts";
import type { FileInput, OpenCall } from "./types.ts";

/** What a function of `serveTools` returns to answer with files, too: at most 10 MiB, for the workspace of the run. */
export class ToolOutput {
  /** A text or JSON. */
  readonly output: unknown;
  readonly files: readonly FileInput[];

  constructor(output: unknown, files: readonly FileInput[]) {
    this.output = output;
    this.files = files;
  }
}

/** `body`: of the request that answers the call. */
type Send = (body: object) => Promise<unknown>;

/** Characters of an error that the service accepts. */
const maxError = 1_000_000;
/** Milliseconds: the longest that timers accept. */
const longest = 2 ** 31 - 1;
/** The call no longer waits: somebody else answered it, or it expired, or the run was stopped. */
const settled = new Set<string | undefined>(["already_answered", "call_not_found", "run_ended"]);

/** Answers calls with functions, each call once. */
export class CallServer {
  readonly #tools: ClientTools;
  readonly #send: Send;
  readonly #deadline: Deadline;
  /** Answers that the server has not accepted yet. */
  readonly #answers = new Map<string, object>();
  readonly #done = new Set<string>();

  constructor(tools: ClientTools, send: Send, deadline: Deadline) {
    this.#tools = tools;
    this.#send = send;
    this.#deadline = deadline;
  }

  /** Answers the calls that have a function, one after the other. Resolves with whether there was one. */
  async serve(calls: readonly OpenCall[]): Promise<boolean> {
    const own = calls.filter(({ id, kind, name }) => {
      return kind !== "approval" && Object.hasOwn(this.#tools, name) && !this.#done.has(id);
    });
    for (const call of own) {
      const answer = this.#answers.get(call.id) ?? (await this.#call(call));
      this.#answers.set(call.id, answer);
      await this.#send(answer).catch((error: unknown) => {
        if (!(error instanceof APIError && settled.has(error.code))) throw error;
      });
      this.#answers.delete(call.id);
      this.#done.add(call.id);
    }
    return own.length > 0;
  }

  /** The answer of the function. What cannot be sent, such as a file that does not exist, becomes an error of the call. */
  async #call(call: OpenCall): Promise<object> {
    const run = async (): Promise<object> => {
      try {
        const returned = await this.#tools[call.name]?.(JSON.parse(call.arguments));
        const { output, ...more } = returned instanceof ToolOutput ? returned : { output: returned };
        const json = JSON.stringify(output) === undefined ? null : output; // throws for what is no JSON
        return await answerBody(call, { output: json, ...more });
      } catch (error) {
        return answerBody(call, { error: messageOf(error).slice(0, maxError) });
      }
    };
    return within(this.#deadline, run());
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error) || "error";
}

/** The value of a promise. Rejects with `WaitTimeout` at the deadline. */
async function within<Value>(deadline: Deadline, value: Promise<Value>): Promise<Value> {
  const timer = new Timer(longest, deadline);
  const end = new Promise<never>((_, reject) => {
    timer.signal.addEventListener("abort", () => {
      reject(deadline.signal?.aborted ? (deadline.signal.reason as Error) : deadline.timeoutError());
    });
  });
  try {
    return await Promise.race([value, end]);
  } finally {
    timer.end();
  }
}
