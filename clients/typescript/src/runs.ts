import { Deadline } from "./clock.ts";
import { AgentRunsError, ConnectionFailed, RunFailed } from "./errors.ts";
import { checkCreate, checkKey, createRun, type CreateOptions } from "./create.ts";
import { downloadBytes, downloadFile } from "./download.ts";
import { messages } from "./event-stream.ts";
import { ext, v1 } from "./generated/operations.ts";
import { filled, type Http, type Request } from "./http.ts";
import type {
  DownloadOptions,
  EventsOptions,
  InputOptions,
  ListOptions,
  PageOptions,
  TokenOptions,
  WaitOptions,
} from "./options.ts";
import type { ResultOf, ResultSchema } from "./result.ts";
import { type Run, type RunActions, type RunPage, runInV1, runOf } from "./run.ts";
import type { Server } from "./server.ts";
import type { Bytes, Event, Page, RunDetail, RunFile, RunSummary, RunToken, StatusInV1 } from "./types.ts";

/** Milliseconds between two polls: the first, the longest, and the growth (specification section 4.2). */
const [firstPoll, longestPoll, growth] = [3_000, 10_000, 1.5];
/** Milliseconds before an event stream is opened again, unless the server says otherwise. */
const defaultRetry = 2_000;
/** Milliseconds that a wait takes at most, unless the caller says otherwise. */
const defaultTimeout = 30 * 60_000;

type Operation = Pick<Request, "method" | "path" | "headers">;

/** The runs of the API key's agent. */
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

  /** Creates a run and waits until it is idle. */
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

  /** Waits until a run is idle. Resolves with its latest state. */
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
  async listPage({ since, until, limit, ...others }: PageOptions = {}): Promise<RunPage> {
    const times = { since: since?.toISOString(), until: until?.toISOString() };
    const query = { ...others, ...times, limit: limit?.toString() };
    const { data, next } = await this.#page<RunSummary>("list runs", filled(ext.list_runs), query);
    return { data: data.map((each) => runOf(this, each)), next };
  }

  /**
   * The events of a run, until it is idle. The stream is opened again after an interruption, and each event comes once
   * and in order.
   */
  async *events(runId: string, { after, timeout, signal }: EventsOptions = {}): AsyncGenerator<Event> {
    const deadline = this.#deadline(timeout, signal);
    await this.#server.require("send events", deadline);
    yield* this.#follow(runId, after, deadline);
  }

  /** Gives a run its next input. It is queued while a turn is in progress. Repeated safely: the run gets it once. */
  async sendInput(runId: string, text: string, { idempotencyKey }: InputOptions = {}): Promise<Run> {
    checkKey(idempotencyKey);
    const headers = { "idempotency-key": idempotencyKey ?? crypto.randomUUID() };
    const operation = { ...filled(ext.create_input, { run_id: runId }), headers };
    return this.#change("accept inputs", operation, { input_text: text });
  }

  /** Replaces the labels of a run. Resolves with the run as it is now. */
  async setLabels(runId: string, labels: Record<string, string>): Promise<Run> {
    return this.#change("change labels", filled(ext.update_run, { run_id: runId }), { labels });
  }

  /**
   * Creates a token that reads a run and nothing else: its status, events and files. A client with the token in place of the API
   * key has `get`, `wait`, `events`, `files` and `download` for this run.
   */
  async createToken(runId: string, { expiresIn }: TokenOptions = {}): Promise<RunToken> {
    const deadline = this.#deadline();
    await this.#server.require("create tokens", deadline);
    const body = JSON.stringify({ expires_in: expiresIn });
    const request: Request = { ...filled(ext.create_run_token, { run_id: runId }), deadline, body };
    return this.#http.retry(deadline, () => this.#http.object<RunToken>(request, ["token", "id", "expires_at"]));
  }

  /** Revokes a token by its `id`. One that is unknown or expired is revoked already. */
  async revokeToken(runId: string, tokenId: string): Promise<void> {
    const deadline = this.#deadline();
    await this.#server.require("revoke tokens", deadline);
    const operation = filled(ext.revoke_run_token, { run_id: runId, token_id: tokenId });
    await this.#http.retry(deadline, () => this.#http.send({ ...operation, deadline }));
  }

  /** Stops a run. */
  async stop(runId: string): Promise<Run> {
    return this.#change("stop runs", filled(ext.stop_run, { run_id: runId }));
  }

  /** Deletes a run's texts and files for good, if the agent allows it. Resolves with what remains. */
  async delete(runId: string): Promise<Run> {
    return this.#change("delete runs", filled(ext.delete_run, { run_id: runId }));
  }

  /** The files of a run: the uploads, and what the agent wrote. `at`: as they were after this step, as `TURN.STEP`. */
  async files(runId: string, { at }: { at?: string } = {}): Promise<RunFile[]> {
    return (await this.#page<RunFile>("list files", filled(ext.list_files, { run_id: runId }), { at })).data;
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
    await this.#server.require("download files", deadline);
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
    const created = await createRun({ http: this.#http, agent, templateId: this.#templateId, deadline }, options);
    if ("id" in created) return runOf(this, created);
    return runInV1(this, { agent_id: created.agent_id, loop_status: "running", transcript: [] });
  }

  /** `waits`: the server answers when the run is idle, or after some seconds, if it has waits for clients. */
  async #read(runId: string, deadline: Deadline, waits = false): Promise<Run> {
    const offered = await this.#server.waitSeconds(deadline);
    if (offered !== undefined) {
      const seconds = Math.min(offered, Math.floor(this.#http.timeout / 2_000)); // half of the timeout at most
      const query = waits && seconds > 0 ? { wait: String(seconds) } : {};
      const request: Request = { ...filled(ext.get_run, { run_id: runId }), query, deadline };
      return runOf(this, await this.#http.object<RunDetail>(request, ["id", "status", "output"]));
    }
    const request: Request = { ...filled(v1.get, { agent_id: runId }), deadline };
    return runInV1(this, await this.#http.object<StatusInV1>(request, ["agent_id", "loop_status", "transcript"]));
  }

  async #wait(runId: string, { after, onEvent, raiseOnFailure }: WaitOptions, deadline: Deadline): Promise<Run> {
    try {
      if (onEvent) for await (const event of this.#follow(runId, after, deadline)) await onEvent(event);
      const run = await this.#poll(runId, deadline);
      if (raiseOnFailure && run.status !== "finished") throw new RunFailed(run);
      return run;
    } catch (error) {
      if (error instanceof AgentRunsError) error.runId = runId;
      throw error;
    }
  }

  /** Reads until the run is idle. After a 502 or 503 it waits 1, 2, 4 … 30 s (specification section 7.3). */
  async #poll(runId: string, deadline: Deadline): Promise<Run> {
    let interval = firstPoll;
    for (let failures = 0; ;) {
      const began = this.#http.clock.now();
      let pause: number;
      try {
        const run = await this.#read(runId, deadline, true);
        if (run.status !== "running") return run;
        failures = 0;
        pause = Math.max(0, interval - (this.#http.clock.now() - began)); // a server that waited needs no pause
        interval = Math.min(longestPoll, interval * growth);
      } catch (error) {
        const next = this.#http.backoff(error, ++failures);
        if (next === undefined) throw error;
        pause = next;
      }
      await deadline.sleep(pause);
    }
  }

  /**
   * Reads the event stream, and opens it again after its end or an interruption, until it says that the run has ended. A
   * server with v1 only has no events.
   */
  async *#follow(runId: string, after: number | null | undefined, deadline: Deadline): AsyncGenerator<Event> {
    let lastId = after?.toString();
    let retry = defaultRetry;
    for (let failures = 0; ;) {
      let pause: number;
      const headers = { accept: "text/event-stream", ...(lastId !== undefined && { "last-event-id": lastId }) };
      const request: Request = { ...filled(ext.list_events, { run_id: runId }), headers, deadline };
      try {
        if ((await this.#server.waitSeconds(deadline)) === undefined) return;
        for await (const message of messages(this.#http.stream(request, "text/event-stream"))) {
          failures = 0;
          retry = message.retry ?? retry;
          if (message.event === "end") return;
          if (message.event === "event") yield this.#event(request, message.data);
          lastId = message.id ?? lastId;
        }
        pause = retry;
      } catch (error) {
        const next = this.#http.backoff(error, ++failures, retry);
        if (next === undefined) throw error;
        pause = next * (1 + Math.random() / 4); // so that many clients do not come back at once
      }
      await deadline.sleep(pause);
    }
  }

  #event(request: Request, data: string): Event {
    try {
      return JSON.parse(data) as Event;
    } catch {
      throw this.#http.unexpected(request, `an event that is not JSON: ${JSON.stringify(data.slice(0, 80))}`);
    }
  }

  async #page<Item>(what: string, operation: Operation, query: Request["query"] = {}): Promise<Page<Item>> {
    const deadline = this.#deadline();
    await this.#server.require(what, deadline);
    const request: Request = { ...operation, query, deadline };
    return this.#http.retry(deadline, () => this.#http.object<Page<Item>>(request, ["data", "next"]));
  }

  /** Makes a change, which is safe to repeat. */
  async #change(what: string, operation: Operation, body?: object): Promise<Run> {
    const deadline = this.#deadline();
    await this.#server.require(what, deadline);
    const request: Request = { ...operation, deadline, ...(body && { body: JSON.stringify(body) }) };
    const run = await this.#http.retry(deadline, () => this.#http.object<RunSummary>(request, ["id", "status"]));
    return runOf(this, run);
  }
}
