import { answerBody } from "./answer.ts";
import { Deadline } from "./clock.ts";
import { AgentRunsError, ConnectionFailed, RunFailed } from "./errors.ts";
import { checkCreate, checkKey, createRun, type CreateOptions } from "./create.ts";
import { downloadBytes, downloadFile } from "./download.ts";
import { followEvents } from "./follow.ts";
import { ext } from "./generated/operations.ts";
import { filled, type Http, type Request } from "./http.ts";
import type {
  CallAnswer,
  ClientTools,
  DownloadOptions,
  EventsOptions,
  InputOptions,
  ListOptions,
  PageOptions,
  TokenOptions,
  WaitOptions,
} from "./options.ts";
import { poll } from "./poll.ts";
import type { ResultOf, ResultSchema } from "./result.ts";
import { type Run, type RunActions, type RunPage, runOf } from "./run.ts";
import { CallServer } from "./serve.ts";
import type { Server } from "./server.ts";
import type { Bytes, Event, OpenCall, Page, RunDetail, RunFile, RunSummary, RunToken } from "./types.ts";

/** Milliseconds that a wait takes at most, unless the caller says otherwise. */
const defaultTimeout = 30 * 60_000;

type Operation = Pick<Request, "method" | "path" | "headers">;

/** The runs of the API key's agents. */
export class Runs implements RunActions {
  readonly #http: Http;
  readonly #server: Server;
  readonly #templateId: string | undefined;

  constructor(http: Http, server: Server, templateId: string | undefined) {
    this.#http = http;
    this.#server = server;
    this.#templateId = templateId;
  }

  /** Creates a run, and does not wait for it. Throws `CreateOutcomeUnknown` if no answer arrived. */
  async create<const Schema extends ResultSchema>(options: CreateOptions<Schema>): Promise<Run<ResultOf<Schema>>> {
    return (await this.#create(options, this.#deadline())) as Run<ResultOf<Schema>>;
  }

  /** Creates a run as `create` does, and waits as `wait` does. */
  async createAndWait<const Schema extends ResultSchema>(
    options: CreateOptions<Schema>,
    wait: WaitOptions = {},
  ): Promise<Run<ResultOf<Schema>>> {
    const deadline = this.#deadline(wait.timeout ?? defaultTimeout, wait.signal);
    const { id } = await this.#create(options, deadline).catch((error: unknown) => {
      const isTooLate = error instanceof ConnectionFailed && deadline.remaining() === 0;
      throw isTooLate ? deadline.timeoutError() : error;
    });
    return (await this.#wait(id, wait, deadline)) as Run<ResultOf<Schema>>;
  }

  async get(runId: string): Promise<Run> {
    const deadline = this.#deadline();
    return this.#http.retry(deadline, () => this.#read(runId, deadline));
  }

  /**
   * Waits until a run is idle, or waits for answers to its `openCalls`. Resolves with its latest state: at once, if it waits
   * already. `serveTools` waits for the end of the turn.
   */
  async wait(runId: string, options: WaitOptions = {}): Promise<Run> {
    return this.#wait(runId, options, this.#deadline(options.timeout ?? defaultTimeout, options.signal));
  }

  /** All runs that match, newest first. Reads a page when its first run is needed. */
  async *list(options: ListOptions = {}): AsyncGenerator<Run> {
    let cursor: string | undefined;
    do {
      const page = await this.listPage({ ...options, cursor });
      yield* page.data;
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }

  /** One page of the runs that match, newest first, with the cursor of the next one. */
  async listPage({ templateId, since, until, limit, ...others }: PageOptions = {}): Promise<RunPage> {
    const times = { since: since?.toISOString(), until: until?.toISOString() };
    const query = { ...others, ...times, template_id: templateId, limit: limit?.toString() };
    const { data, next } = await this.#page<RunSummary>(filled(ext.list_runs), query);
    return { data: data.map((each) => runOf(this, each)), next };
  }

  /**
   * The events of a run, until it is idle. The stream is opened again after an interruption, and each event comes once
   * and in order. `onText`: called meanwhile with the text that a model writes.
   */
  async *events(runId: string, { timeout, signal, ...options }: EventsOptions = {}): AsyncGenerator<Event> {
    const deadline = this.#deadline(timeout, signal);
    await this.#server.require(deadline);
    yield* followEvents(runId, { ...options, http: this.#http, server: this.#server, deadline });
  }

  /**
   * Answers an open call of a run, for the arguments that it has. The first answer counts: the same one again is accepted,
   * another one throws an `APIError` with the code `already_answered`. Resolves with the run as it is now, without
   * `openCalls`.
   */
  async answer(runId: string, call: Pick<OpenCall, "id" | "arguments_sha256">, answer: CallAnswer): Promise<Run> {
    const deadline = this.#deadline();
    await this.#server.require(deadline);
    const body = await answerBody(call, answer);
    return this.#http.retry(deadline, () => this.#answer(runId, body, deadline));
  }

  /**
   * Waits until a turn has ended, and answers its calls of client tools with functions, one after the other. What a function
   * throws becomes the error of its call, as its message, and is logged. Calls without a function, and approvals, are left to
   * others; the log names the former.
   */
  async serveTools(runId: string, tools: ClientTools, options: WaitOptions = {}): Promise<Run> {
    const { timeout = defaultTimeout, signal, onEvent, onText } = options;
    const deadline = this.#deadline(timeout, signal);
    const wait = { ...options };
    if (onEvent ?? onText) {
      wait.onEvent = async (event) => {
        await onEvent?.(event);
        wait.after = event.sequence; // the next wait begins here
      };
    }
    // Without the deadline: what a function did is reported, even if it took too long.
    const send = (body: object): Promise<Run> => this.#answer(runId, body, this.#deadline(undefined, signal));
    const calls = new CallServer({ tools, send, deadline, logger: this.#http.logger });
    return named(runId, () =>
      poll({ http: this.#http, deadline }, async () => {
        const run = await this.#wait(runId, wait, deadline);
        if (!run.waiting) return run;
        return (await calls.serve(run.openCalls)) ? "now" : "later";
      }),
    );
  }

  /** Gives a run its next input. It is queued while a turn is in progress. Repeated safely: the run gets it once. */
  async sendInput(runId: string, text: string, { idempotencyKey }: InputOptions = {}): Promise<Run> {
    checkKey(idempotencyKey);
    const headers = { "idempotency-key": idempotencyKey ?? crypto.randomUUID() };
    const operation = { ...filled(ext.create_input, { run_id: runId }), headers };
    return this.#change(operation, { input_text: text });
  }

  /** Replaces the labels of a run. Resolves with the run as it is now. */
  async setLabels(runId: string, labels: Record<string, string>): Promise<Run> {
    return this.#change(filled(ext.update_run, { run_id: runId }), { labels });
  }

  /**
   * Creates a token that reads a run and nothing else: its status, events and files. A client with the token in place of the API
   * key has `get`, `wait`, `events`, `files` and `download` for this run.
   */
  async createToken(runId: string, { expiresIn }: TokenOptions = {}): Promise<RunToken> {
    const deadline = this.#deadline();
    await this.#server.require(deadline);
    const body = JSON.stringify({ expires_in: expiresIn });
    const request: Request = { ...filled(ext.create_run_token, { run_id: runId }), deadline, body };
    return this.#http.retry(deadline, () => this.#http.object<RunToken>(request, ["token", "id", "expires_at"]));
  }

  /** Revokes a token by its `id`. One that is unknown or expired is revoked already. */
  async revokeToken(runId: string, tokenId: string): Promise<void> {
    const deadline = this.#deadline();
    await this.#server.require(deadline);
    const operation = filled(ext.revoke_run_token, { run_id: runId, token_id: tokenId });
    await this.#http.retry(deadline, () => this.#http.send({ ...operation, deadline }));
  }

  /** Stops a run. */
  async stop(runId: string): Promise<Run> {
    return this.#change(filled(ext.stop_run, { run_id: runId }));
  }

  /** Deletes a run's texts and files for good, if the agent allows it. Resolves with what remains. */
  async delete(runId: string): Promise<Run> {
    return this.#change(filled(ext.delete_run, { run_id: runId }));
  }

  /** The files of a run: the uploads, and what the agent wrote. `at`: as they were after this step, as `TURN.STEP`. */
  async files(runId: string, { at }: { at?: string } = {}): Promise<RunFile[]> {
    return (await this.#page<RunFile>(filled(ext.list_files, { run_id: runId }), { at })).data;
  }

  /**
   * The content of a file. With `to`: writes it to this path or into this folder, with the folders of its name, as it
   * arrives, and resolves with the path. A download that is cut continues where it stopped. The SHA-256 is checked, where the
   * server says it.
   */
  async download(runId: string, name: string, options: DownloadOptions & { to: string }): Promise<string>;
  async download(runId: string, name: string, options?: DownloadOptions): Promise<Bytes>;
  async download(runId: string, name: string, options?: DownloadOptions): Promise<string | Bytes>;
  async download(runId: string, name: string, { to, at }: DownloadOptions = {}): Promise<string | Bytes> {
    const deadline = this.#deadline();
    await this.#server.require(deadline);
    const operation = filled(ext.get_file, { run_id: runId, name });
    const request: Request = { ...operation, query: { at }, deadline, follow: true };
    return to === undefined ? downloadBytes(this.#http, request) : downloadFile(this.#http, request, { to, name });
  }

  #deadline(timeout?: number, signal?: AbortSignal): Deadline {
    return new Deadline(this.#http.clock, timeout, signal);
  }

  async #create(options: CreateOptions, deadline: Deadline): Promise<Run> {
    checkCreate(options);
    const agent = await this.#http.retry(deadline, () => this.#server.agent(deadline));
    return runOf(this, await createRun({ http: this.#http, agent, templateId: this.#templateId, deadline }, options));
  }

  /** `waits`: the server answers when the run is idle, or after some seconds, if it has waits for clients. */
  async #read(runId: string, deadline: Deadline, waits = false): Promise<Run> {
    const offered = await this.#server.waitSeconds(deadline);
    const seconds = Math.min(offered, Math.floor(this.#http.timeout / 2_000)); // half of the timeout at most
    const query = waits && seconds > 0 ? { wait: String(seconds) } : {};
    const request: Request = { ...filled(ext.get_run, { run_id: runId }), query, deadline };
    return runOf(this, await this.#http.object<RunDetail>(request, ["id", "status", "output"]));
  }

  async #wait(runId: string, options: WaitOptions, deadline: Deadline): Promise<Run> {
    const { after, onEvent, onText, raiseOnFailure } = options;
    return named(runId, async () => {
      if (onEvent ?? onText) {
        const follow = { after, ...(onText && { onText }), http: this.#http, server: this.#server, deadline };
        for await (const event of followEvents(runId, { ...follow, untilWaiting: true })) await onEvent?.(event);
      }
      const run = await this.#poll(runId, deadline);
      if (raiseOnFailure && run.status !== "finished" && run.status !== "running") throw new RunFailed(run);
      return run;
    });
  }

  /** Reads until the run is idle or waits for answers. After a 502 or 503 it waits 1, 2, 4 … 30 s (specification section 7.3). */
  async #poll(runId: string, deadline: Deadline): Promise<Run> {
    return poll({ http: this.#http, deadline }, async () => {
      const run = await this.#read(runId, deadline, true);
      return run.status !== "running" || run.waiting ? run : "later";
    });
  }

  async #answer(runId: string, body: object, deadline: Deadline): Promise<Run> {
    const operation = filled(ext.answer_call, { run_id: runId });
    const request: Request = { ...operation, deadline, body: JSON.stringify(body) };
    return runOf(this, await this.#http.object<RunSummary>(request, ["id", "status"]));
  }

  async #page<Item>(operation: Operation, query: Request["query"] = {}): Promise<Page<Item>> {
    const deadline = this.#deadline();
    await this.#server.require(deadline);
    const request: Request = { ...operation, query, deadline };
    return this.#http.retry(deadline, () => this.#http.object<Page<Item>>(request, ["data", "next"]));
  }

  /** Makes a change, which is safe to repeat. */
  async #change(operation: Operation, body?: object): Promise<Run> {
    const deadline = this.#deadline();
    await this.#server.require(deadline);
    const request: Request = { ...operation, deadline, ...(body && { body: JSON.stringify(body) }) };
    const run = await this.#http.retry(deadline, () => this.#http.object<RunSummary>(request, ["id", "status"]));
    return runOf(this, run);
  }
}

/** Names the run in the errors of a call. */
async function named<Value>(runId: string, call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof AgentRunsError) error.runId = runId;
    throw error;
  }
}
