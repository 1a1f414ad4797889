import type {
  CallAnswer,
  ClientTools,
  DownloadOptions,
  EventsOptions,
  InputOptions,
  TokenOptions,
  WaitOptions,
} from "./options.ts";
import type {
  Bytes,
  Event,
  Failure,
  OpenCall,
  ResultError,
  RunDetail,
  RunFile,
  RunStatus,
  RunSummary,
  RunToken,
  Usage,
} from "./types.ts";

/** What a run can do by its ID. */
export interface RunActions {
  wait(runId: string, options?: WaitOptions): Promise<Run>;
  events(runId: string, options?: EventsOptions): AsyncGenerator<Event>;
  answer(runId: string, call: Pick<OpenCall, "id" | "arguments_sha256">, answer: CallAnswer): Promise<Run>;
  serveTools(runId: string, tools: ClientTools, options?: WaitOptions): Promise<Run>;
  sendInput(runId: string, text: string, options?: InputOptions): Promise<Run>;
  setLabels(runId: string, labels: Record<string, string>): Promise<Run>;
  createToken(runId: string, options?: TokenOptions): Promise<RunToken>;
  stop(runId: string): Promise<Run>;
  delete(runId: string): Promise<Run>;
  files(runId: string, options?: { at?: string }): Promise<RunFile[]>;
  download(runId: string, name: string, options?: DownloadOptions): Promise<string | Bytes>;
}

/** A run as it was when it was read. `runs.get(run.id)` reads it again. `Result`: the type of its result. */
export class Run<Result = unknown> {
  readonly id: string;
  readonly status: RunStatus;
  /** The output of the last ended turn. Null: there is none, or the run comes from `runs.list`, which leaves it out. */
  readonly output: string | null;
  /** The output as JSON, if it is a result of the run's schema. Null: it is not, a turn is in progress, or the run comes from a list. */
  readonly result: Result | null;
  /** Why the output does not fit the schema of the result. Null: it does, or there is no schema. */
  readonly resultError: ResultError | null;
  /** With `technical_error`: why. Null: the turn did not fail. */
  readonly failure: Failure | null;
  /** Why the last turn ended: `completed`, or a limit. Null: it has not. */
  readonly finishReason: string | null;
  /** Tokens and dollars. */
  readonly usage: Usage | null;
  /** The run is running, and tool calls of it wait for answers. */
  readonly waiting: boolean;
  /** These calls. Empty in runs of lists and changes: `runs.get(run.id)` has them. */
  readonly openCalls: readonly OpenCall[];
  /** Display name. */
  readonly name: string | null;
  readonly labels: Record<string, string>;
  /** RFC 3339. */
  readonly createdAt: string | null;
  /** All that the server said, with its names. */
  readonly data: RunSummary & Partial<RunDetail>;
  readonly #runs: RunActions;

  constructor(runs: RunActions, { id, status, output, data }: Pick<Run, "id" | "status" | "output" | "data">) {
    this.#runs = runs;
    this.id = id;
    this.status = status;
    this.output = output;
    this.data = data;
    const said: Partial<RunDetail> = data; // of a list and of changes: without details
    this.name = said.name ?? null;
    this.labels = said.labels ?? {};
    this.createdAt = said.created_at ?? null;
    this.result = (said.result as Result | undefined) ?? null;
    this.resultError = said.result_error ?? null;
    this.failure = said.failure ?? null;
    this.finishReason = said.finish_reason ?? null;
    this.usage = said.usage ?? null;
    this.waiting = said.state === "waiting";
    this.openCalls = said.open_calls ?? [];
  }

  /** Waits until the run is idle, or waits for answers to its `openCalls`. Resolves with its latest state. */
  async wait(options?: WaitOptions): Promise<Run<Result>> {
    return (await this.#runs.wait(this.id, options)) as Run<Result>;
  }

  events(options?: EventsOptions): AsyncGenerator<Event> {
    return this.#runs.events(this.id, options);
  }

  /** Answers an open call. `runs.answer` says more. */
  async answer(call: Pick<OpenCall, "id" | "arguments_sha256">, answer: CallAnswer): Promise<Run> {
    return this.#runs.answer(this.id, call, answer);
  }

  /** Waits until the turn has ended, and answers calls of client tools with functions. `runs.serveTools` says more. */
  async serveTools(tools: ClientTools, options?: WaitOptions): Promise<Run<Result>> {
    return (await this.#runs.serveTools(this.id, tools, options)) as Run<Result>;
  }

  async sendInput(text: string, options?: InputOptions): Promise<Run> {
    return this.#runs.sendInput(this.id, text, options);
  }

  /** Replaces the labels. Resolves with the run as it is now. */
  async setLabels(labels: Record<string, string>): Promise<Run> {
    return this.#runs.setLabels(this.id, labels);
  }

  /** Creates a token that reads this run and nothing else, such as for a browser. */
  async createToken(options?: TokenOptions): Promise<RunToken> {
    return this.#runs.createToken(this.id, options);
  }

  async stop(): Promise<Run> {
    return this.#runs.stop(this.id);
  }

  /** Deletes the run's texts and files for good. Resolves with what remains. */
  async delete(): Promise<Run> {
    return this.#runs.delete(this.id);
  }

  async files(options?: { at?: string }): Promise<RunFile[]> {
    return this.#runs.files(this.id, options);
  }

  /** The content of a file. With `to`: writes it to this path or into this folder, and resolves with the path. */
  async download(name: string, options: DownloadOptions & { to: string }): Promise<string>;
  async download(name: string, options?: DownloadOptions): Promise<Bytes>;
  async download(name: string, options: DownloadOptions = {}): Promise<string | Bytes> {
    return this.#runs.download(this.id, name, options);
  }
}

/**
 * Runs of a list, newest first. It can be short or empty and still have a next one, because a filter ends after a bounded
 * number of runs.
 */
export interface RunPage {
  data: Run[];
  /** The `cursor` of the next page. Null: this is the last one. */
  next: string | null;
}

export function runOf(runs: RunActions, data: RunSummary & Partial<RunDetail>): Run {
  return new Run(runs, { id: data.id, status: data.status, output: data.output ?? null, data });
}
