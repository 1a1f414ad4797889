import { answerBody } from "./answer.ts";
import type { Deadline } from "./clock.ts";
import { APIError } from "./errors.ts";
import type { ClientTools } from "./options.ts";
import { type Logger, warn } from "./logger.ts";
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

/** What a server of calls needs. */
interface CallServerOptions {
  tools: ClientTools;
  send: Send;
  deadline: Deadline;
  logger: Logger;
}

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
  readonly #logger: Logger;
  /** Calls without a function that were named in the log. */
  readonly #missing = new Set<string>();
  /** Answers that the server has not accepted yet. */
  readonly #answers = new Map<string, object>();
  readonly #done = new Set<string>();

  constructor({ tools, send, deadline, logger }: CallServerOptions) {
    this.#logger = logger;
    this.#tools = tools;
    this.#send = send;
    this.#deadline = deadline;
  }

  /** Answers the calls that have a function, one after the other. Resolves with whether there was one. */
  async serve(calls: readonly OpenCall[]): Promise<boolean> {
    const own = calls.filter(({ id, kind, name }) => {
      return kind !== "approval" && Object.hasOwn(this.#tools, name) && !this.#done.has(id);
    });
    this.#nameOthers(calls.filter(({ name }) => !Object.hasOwn(this.#tools, name)));
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

  /** Says which calls of client tools wait for somebody else: their names may be misspelt here. */
  #nameOthers(calls: readonly OpenCall[]): void {
    const names = Object.keys(this.#tools).join(", ") || "none";
    const clauses = calls.map(({ id, kind, name }) => `the call ${id} of ${name} (${kind}) has no function here`);
    this.#deadline.waitsFor = clauses.join("; ") || undefined;
    for (const { id, kind, name } of calls) {
      if (kind !== "client_tool" || this.#missing.has(id)) continue;
      this.#missing.add(id);
      warn(this.#logger, `serveTools has no function ${name}, which the call ${id} waits for; it has: ${names}`);
    }
  }

  /** The answer of the function. What cannot be sent, such as a file that does not exist, becomes an error of the call. */
  async #call(call: OpenCall): Promise<object> {
    const run = async (): Promise<object> => {
      try {
        const returned = await this.#tools[call.name]?.(JSON.parse(call.arguments, requireExact));
        const { output, ...more } = returned instanceof ToolOutput ? returned : { output: returned };
        const json = JSON.stringify(output) === undefined ? null : output; // throws for what is no JSON
        return await answerBody(call, { output: json, ...more });
      } catch (error) {
        // The model reads only the message, and may ignore the error.
        const trace = (error instanceof Error && error.stack) || messageOf(error);
        warn(this.#logger, `the function ${call.name} threw in the call ${call.id}: ${trace}`);
        return answerBody(call, { error: messageOf(error).slice(0, maxError) });
      }
    };
    return within(this.#deadline, run());
  }
}

/** For `JSON.parse`. Throws for an integer that JavaScript rounds: the error is the answer, which the model reads. */
function requireExact(name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const source = context?.source; // Node.js has it since version 22
  if (source !== undefined && /e/i.test(source)) return value; // 1e30 is no id
  const number = (source ?? String(value)).slice(0, 50);
  throw new RangeError(
    `${name} is ${number}, which JavaScript would round; expected at most 2^53, or the number as a string`,
  );
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
