import type { Job, Outcome } from "./driver.ts";
import { json, type Received, type Reply } from "./scripted-server.ts";

/** What each client does, by the answers that it gets. */
export interface Case {
  replies: Reply[];
  job: Omit<Job, "baseUrl">;
  /** What the outcome contains: `calls` are the requests that the server received. */
  expected: (received: Received[]) => { calls?: string[] } & Partial<Record<keyof Outcome, unknown>>;
}

/** The run of all cases. */
export const id = "11111111-2222-4333-8444-555555555555";

/** The answer to `GET /agent`. */
export const agent = json(200, { id: "a", name: "Test", max_inline_bytes: 10, max_upload_bytes: 100, wait_seconds: 0 });

/** A run as the server answers with it. */
export const run = (status: string, output: string | null = null, more: object = {}) => ({
  id,
  status,
  output,
  failure: null,
  finish_reason: null,
  usage: { dollars: 0 },
  ...more,
});

/** The last message of an event stream. */
export const end = 'event: end\ndata: {"status": "finished"}\n\n';

export const askAgent = "GET /ext/v1/agent";
export const getRun = `GET /ext/v1/runs/${id}`;
export const getEvents = `${getRun}/events`;
