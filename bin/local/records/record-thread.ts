import { Worker } from "node:worker_threads";
import { NoPlace, type Owners, scheduler } from "../../../src/async/scheduler.ts";
import { ServiceError, StoreUnavailable } from "../../../src/errors.ts";
import type { ApiResponse, StreamBody } from "../../../src/http/handler.ts";
import { layout } from "../../../src/layout.ts";
import { log } from "../../../src/log.ts";
import type { ForwardedRequest, FromThread, ThreadData, ToThread } from "./messages.ts";

/** Requests that the thread handles at a time. An organization that has one leaves the other place to others. */
const places = 2;
const longestWait = { seconds: 30, what: "large records", remedy: "Repeat the request later." };
/** Milliseconds without a request after which the thread ends. */
const idleMilliseconds = 60_000;
/** Megabytes of the thread's heap, which needs about ten times the size of a record. */
const maxOldGenerationSizeMb = 2_048;

/** Handles requests in a thread, so that what they read as a whole delays nothing here. */
export interface RecordThread {
  /**
   * Handles a request when its owners get a place. Rejects with `too_many_requests` if none becomes free. `signal`: aborts when the
   * client is gone.
   */
  handle(request: ForwardedRequest, owners: Owners, signal?: AbortSignal): Promise<ApiResponse>;
  close(): Promise<void>;
}

interface RecordThreadOptions {
  data: () => ThreadData;
  /** Begins a turn of a run that a request made. */
  start: (runId: string, turn: number) => Promise<void>;
}

/** The thread, and what is done with its answer to each request. */
interface Running {
  ask: (message: ToThread) => Promise<Answer>;
  tell: (message: ToThread) => void;
  /** Requests and bodies in progress. */
  used: number;
  end: () => Promise<unknown>;
}

type Answer = Extract<FromThread, { id: number }>;

/**
 * A thread that starts with its first request, and ends when it is idle. It has stores of its own on the data directory, as another
 * process has: reading a record of 27 MB as a whole takes 0.2 s of a processor without a pause.
 */
export function recordThread({ data, start }: RecordThreadOptions): RecordThread {
  const inTurn = scheduler({ places, longestWait });
  const { use, leave, end } = sharedThread({ data, start });
  let requests = 0;

  async function respond(request: ForwardedRequest, signal: AbortSignal | undefined): Promise<ApiResponse> {
    const thread = use();
    const id = ++requests;
    const stop = (): void => thread.tell({ id, ask: "end" });
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const answer = await thread.ask({ id, request });
      if (!("status" in answer)) throw new Error("failed" in answer ? answer.failed : "the thread sent no response");
      const { status, headers, part, isWhole } = answer;
      return { status, headers, body: isWhole ? part : bodyOf(id) };
    } finally {
      signal?.removeEventListener("abort", stop);
      leave(thread);
    }
  }

  const bodyOf = (id: number): StreamBody =>
    async function* (signal) {
      const thread = use();
      try {
        while (!signal.aborted) {
          const answer = await thread.ask({ id, ask: "next" });
          if ("failed" in answer) throw new Error(answer.failed);
          if (answer.part === null) return;
          yield answer.part;
        }
      } finally {
        thread.tell({ id, ask: "end" });
        leave(thread);
      }
    };

  return {
    async handle(request, owners, signal) {
      try {
        return await inTurn.run(owners, () => respond(request, signal), signal);
      } catch (error) {
        throw error instanceof NoPlace ? busy(error) : error;
      }
    },
    close: end,
  };
}

/** The thread while it is used, and for a while after. */
function sharedThread({ data, start }: RecordThreadOptions) {
  let running: Running | undefined;
  let idle: NodeJS.Timeout | undefined;

  function use(): Running {
    clearTimeout(idle);
    running ??= startThread(data(), { start, ended: forget });
    running.used++;
    return running;
  }

  function leave(thread: Running): void {
    if (--thread.used > 0 || thread !== running) return;
    idle = setTimeout(() => {
      forget(thread); // a request that comes while it ends starts another one
      void thread.end();
    }, idleMilliseconds).unref();
  }

  function forget(thread: Running): void {
    if (thread === running) running = undefined;
  }

  async function end(): Promise<void> {
    clearTimeout(idle);
    await running?.end();
  }

  return { use, leave, end };
}

function startThread(
  workerData: ThreadData,
  on: { ended: (thread: Running) => void } & Pick<RecordThreadOptions, "start">,
): Running {
  const worker = new Worker(layout().recordThread, { workerData, resourceLimits: { maxOldGenerationSizeMb } });
  worker.unref();
  const asked = new Map<number, PromiseWithResolvers<Answer>>();
  let failure: unknown;
  worker.on("message", (message: FromThread) => {
    if ("start" in message) {
      on.start(...message.start).catch((error: unknown) => log("error", "a turn could not be started", { error }));
      return;
    }
    asked.get(message.id)?.resolve(message);
    asked.delete(message.id);
  });
  worker.once("error", (error) => {
    failure = error;
    log("error", "the thread of large records ended", { error });
  });
  worker.once("exit", () => {
    on.ended(thread);
    const error = new StoreUnavailable("the thread of large records ended", { cause: failure });
    for (const { reject } of asked.values()) reject(error);
  });
  const thread: Running = {
    used: 0,
    ask(message) {
      const answer = Promise.withResolvers<Answer>();
      asked.set(message.id, answer);
      worker.postMessage(message, []);
      return answer.promise;
    },
    tell: (message) => worker.postMessage(message, []),
    end: () => worker.terminate(),
  };
  return thread;
}

function busy({ message }: NoPlace): ServiceError {
  return new ServiceError("too_many_requests", `too many requests: ${message}`, { retryAfterSeconds: 5 });
}
