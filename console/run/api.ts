import type { CallOutput, RunDetail, RunEvent, Schemas, TextDelta } from "../api/types.ts";

export type { RunDetail };
export type ModelRequest = Schemas["ModelRequest"];
export type SentRequest = Schemas["SentRequest"];
export type SentAttempt = Schemas["SentAttempt"];
export type RequestMessage = ModelRequest["messages"][number];
export type RunToken = Schemas["RunToken"];
export type CreatedRunToken = Schemas["CreatedRunToken"];
export type RunFile = Schemas["RunFile"];
export type Limits = Schemas["Limits"];

/** Receive the server-sent events of a run's stream, by their names. */
export interface StreamCallbacks {
  run(detail: RunDetail): void;
  event(event: RunEvent): void;
  output(output: CallOutput): void;
  delta(delta: TextDelta): void;
  thinking(delta: TextDelta): void;
  /** A response begins: the first, or the next one after it has ended or broken. */
  opened(): void;
}

/** What the page reads of one run. Each rejects with an `Error` whose message is for people. */
export interface RunReader {
  detail(signal: AbortSignal): Promise<RunDetail>;
  events(after: number, signal: AbortSignal): Promise<Schemas["EventPage"]>;
  /** The same with complete texts, in smaller pages. */
  wholeEvents(after: number): Promise<Schemas["EventPage"]>;
  /** The complete event. */
  event(sequence: number): Promise<RunEvent>;
  files(at: string | undefined): Promise<RunFile[]>;
  file(name: string, at: string | undefined): Promise<Blob>;
  /** Calls back for each change of the run and each event after a number. Resolves when the signal aborts. */
  stream(after: number, on: StreamCallbacks, signal: AbortSignal): Promise<void>;
}

/** What operators can do with a run besides. */
export interface RunApi extends RunReader {
  request(at: string): Promise<ModelRequest>;
  /** The HTTP request of the step. */
  sent(at: string): Promise<SentRequest>;
  /** The tokens of the run that are valid. */
  tokens(): Promise<RunToken[]>;
  createToken(seconds: number): Promise<CreatedRunToken>;
  revokeToken(id: string): Promise<unknown>;
  input(text: string): Promise<unknown>;
  stop(): Promise<unknown>;
  remove(): Promise<unknown>;
}
