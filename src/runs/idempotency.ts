import { hash } from "node:crypto";
import { ServiceError } from "../errors.ts";
import { canonicalJson } from "../json.ts";
import type { Runs, Workflow } from "./ports.ts";
import type { Idempotency, KeptCreate } from "./types.ts";

/** The hashes of an idempotency key and of the body that it came with. Bodies with equal JSON values have equal hashes. */
export function idempotencyOf(key: string, body: unknown): Idempotency {
  return { key: hash("sha256", key), request: hash("sha256", canonicalJson(body)) };
}

/**
 * Answers a repeated create with the run of the first one. Rejects if the bodies differ. Starts the turn of a run that was
 * stored, but whose create failed or ended before the start.
 */
export async function replayCreate(
  { runs, workflow }: { runs: Pick<Runs, "head">; workflow: Workflow },
  { runId, request }: KeptCreate,
  repeated: Idempotency,
): Promise<{ id: string; replayed: true }> {
  if (request !== repeated.request) {
    throw new ServiceError(
      "idempotency_key_reused",
      "the idempotency key belongs to an earlier create with another body; use a new key for a new run",
    );
  }
  const run = await runs.head(runId);
  const mayNotHaveStarted = run?.status === "running" && run.sequence === 1 && !run.waiting; // its input is its only event
  if (mayNotHaveStarted) await workflow.start(runId, run.turn, run);
  return { id: runId, replayed: true };
}
