import { hash } from "node:crypto";
import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import { ServiceError } from "../../errors.ts";
import { canonicalJson } from "../../json.ts";
import type { Runs, Workflow } from "../ports.ts";
import { isWorking } from "../control/is-working.ts";
import type { Idempotency, KeptCreate } from "../run-types.ts";

/**
 * The hashes of an idempotency key and of the body that it came with. Bodies with equal JSON values have equal hashes.
 * `runId`: of an input, whose keys are those of its run.
 */
export function idempotencyOf(key: string, body: unknown, runId?: string): Idempotency {
  const ofKey = hash("sha256", key);
  const unique = runId === undefined ? ofKey : hash("sha256", `${runId} ${ofKey}`);
  return { key: unique, request: hash("sha256", canonicalJson(body)) };
}

/**
 * Answers a repeated create with the run of the first one. Rejects if the bodies differ. Starts the turn of a run that was
 * stored, but whose create failed or ended before the start. `hasFiles`: the create has files, which are read then.
 */
export async function replayCreate(
  { runs, workflow }: { runs: Pick<Runs, "head" | "loadTurn">; workflow: Workflow },
  { runId, request }: KeptCreate,
  repeated: Idempotency,
  hasFiles: boolean,
): Promise<{ id: string; files: FileVersion[]; replayed: true }> {
  requireSameBody(request, repeated, "create", "run");
  const run = await runs.head(runId);
  const mayNotHaveStarted = run && isWorking(run) && run.sequence === 1; // its input is its only event
  if (mayNotHaveStarted) await workflow.start(runId, run.turn, run);
  const { uploads: files = [] } = (hasFiles && (await runs.loadTurn(runId))) || {};
  return { id: runId, files, replayed: true };
}

/** Throws if a request with an idempotency key is not a repetition of the first one. */
export function requireSameBody(request: string, repeated: Idempotency, what: "create" | "input", made: string): void {
  if (request === repeated.request) return;
  throw new ServiceError(
    "idempotency_key_reused",
    `the idempotency key belongs to an earlier ${what} with another body; use a new key for a new ${made}`,
  );
}
