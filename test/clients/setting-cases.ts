import { expect } from "vitest";
import { agent, type Case, id } from "./case.ts";
import { json, noAnswer } from "./scripted-server.ts";

const run = { id, status: "finished", output: null, failure: null, finish_reason: null, usage: { dollars: 0 } };
const busy = json(503, { detail: "busy", code: "store_unavailable" });
const getRun = `GET /ext/v1/runs/${id}`;
const rejected = (client: { timeout?: number; max_retries?: number }, message: string): Case => ({
  replies: [],
  job: { method: "agent", client },
  expected: () => ({ calls: [], error: { name: "InvalidArgument", message: expect.stringMatching(message) } }),
});

export const settings: Record<string, Case> = {
  "repeats nothing with max_retries 0": {
    replies: [agent, busy, json(200, run)],
    job: { method: "get", args: [id], client: { max_retries: 0 } },
    expected: () => ({ error: { name: "ServiceUnavailable" }, sleeps: [] }),
  },
  "repeats more often with a larger max_retries": {
    replies: [agent, ...[1, 2, 3, 4, 5].map(() => busy), json(200, run)],
    job: { method: "get", args: [id], client: { max_retries: 5 } },
    expected: () => ({ value: { id }, sleeps: [1_000, 2_000, 4_000, 8_000, 16_000] }),
  },
  "waits on whatever max_retries is": {
    replies: [agent, busy, busy, json(200, run)],
    job: { method: "wait", args: [id], client: { max_retries: 0 } },
    expected: () => ({ value: { id }, sleeps: [1_000, 2_000] }),
  },
  "rejects a max_retries below 0": rejected({ max_retries: -1 }, "is -1; accepted: from 0 to "),
  "rejects a timeout of 0": rejected({ timeout: 0 }, "^timeout is 0(.0)?; accepted: from "),
  "logs each answer, and why it repeats a request, without the query": {
    replies: [agent, busy, noAnswer, json(200, { data: [], next: null })],
    job: { method: "list_page", options: { label: "customer=4711" } },
    expected: () => ({
      log: [
        "GET /ext/v1/agent: 200 in N ms",
        "GET /ext/v1/runs: 503 in N ms",
        "GET /ext/v1/runs: 503 busy; next attempt in 1 s",
        expect.stringMatching(/^GET \/ext\/v1\/runs: .+; next attempt in 2 s$/),
        "GET /ext/v1/runs: 200 in N ms",
      ],
    }),
  },
  "logs no attempt that it will not make": {
    replies: [agent, json(429, { detail: "spent", code: "dollars_spent" }, { "retry-after": "3600" })],
    job: { method: "get", args: [id] },
    expected: () => ({
      error: { name: "RateLimited" },
      log: ["GET /ext/v1/agent: 200 in N ms", `${getRun}: 429 in N ms`],
    }),
  },
  "logs nothing of a key": {
    replies: [agent, json(200, run)],
    job: { method: "get", args: [id] },
    expected: () => ({ log: ["GET /ext/v1/agent: 200 in N ms", `${getRun}: 200 in N ms`] }),
  },
};
