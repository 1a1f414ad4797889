import type { components } from "../../src/manage/generated/types.d.ts";
import type { CallOutput, RunEvent } from "./model/events.ts";

export type RunDetail = components["schemas"]["RunDetail"];
export type ModelRequest = components["schemas"]["ModelRequest"];
export type RequestMessage = ModelRequest["messages"][number];
export type RunFile = components["schemas"]["RunFile"];
export type Limits = components["schemas"]["Limits"];

/** A page of events. `next`: the `after` of the next page. */
export interface EventPage {
  data: RunEvent[];
  next: string | null;
}

export interface StreamCallbacks {
  detail(detail: RunDetail): void;
  event(event: RunEvent): void;
  output(output: CallOutput): void;
}

/** What the page asks the service about one run. Each rejects with an `Error` whose message is for people. */
export interface RunApi {
  detail(signal: AbortSignal): Promise<RunDetail>;
  events(after: number, signal: AbortSignal): Promise<EventPage>;
  /** The complete event. */
  event(sequence: number): Promise<RunEvent>;
  request(at: string): Promise<ModelRequest>;
  files(at: string | undefined): Promise<RunFile[]>;
  file(name: string, at: string | undefined): Promise<Blob>;
  /** Calls back for each change of the run and each event after a number. Resolves when the signal aborts. */
  stream(after: number, on: StreamCallbacks, signal: AbortSignal): Promise<void>;
  input(text: string): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}
