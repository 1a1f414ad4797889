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
export const agent = json(200, { id: "a", name: "Test", max_inline_bytes: 10, max_upload_bytes: 100 });
