import { randomUUID } from "node:crypto";
import { requireActive } from "../../accounts/agents/agents.ts";
import { along } from "../../accounts/audit.ts";
import { nextWork } from "../../agent/turn/journal.ts";
import { normalizeId } from "../../accounts/ids.ts";
import { ServiceError } from "../../errors.ts";
import { type AdmissionDeps, changeWithSlot, findQuotas, manyStarts, slotAttempts } from "../admission.ts";
import { stamped } from "../events.ts";
import { requireWholeRecord } from "../fork/incomplete-fork.ts";
import { requireNotImported } from "../imported.ts";
import type { Uses } from "../ports.ts";
import { transitions } from "../status.ts";
import type { Run, RunJournalEntry } from "../run-types.ts";

/** Who lets turns continue is one of these processes: of the CLI, or of the management API. */
const instance = randomUUID();

/**
 * Lets the turn of a run with `technical_error` continue after its last journal entry: recorded answers and results are not
 * repeated. It may wait for a slot, as a new turn. Its seconds begin again. Queued inputs were dropped with the error.
 * Rejects for a run with another status. Resolves with the changed run.
 */
export async function retryRun(deps: AdmissionDeps & Uses<"actor">, id: string): Promise<Run> {
  const { runs, accounts, workflow, actor, now } = deps;
  // Repeats when another turn took the slot, or another retry came first, which the next read shows.
  for (let lostSlots = 0; ;) {
    const state = await runs.loadTurn(normalizeId(id));
    if (!state) throw new ServiceError("run_not_found", `run ${JSON.stringify(id)} does not exist`);
    const { run, journal } = state;
    const { id: runId, organizationId, turn, status, sequence, createdAt } = run;
    requireNotImported(run);
    if (status !== "technical_error") {
      const message = `run ${runId} is ${status}; only a run with technical_error can be retried`;
      throw new ServiceError("run_not_failed", message);
    }
    requireWholeRecord(run);
    const { agent, quotas } = await findQuotas(accounts, run);
    requireActive(agent, "retry runs");
    const { from, to } = transitions.turnRetried;
    const set = { status: to, turn, updatedAt: now(), pauses: (run.pauses ?? 0) + 1 };
    const entry: RunJournalEntry = { turn, part: "resumed", instance, reason: "retry", ...nextWork(journal) };
    const entries = stamped([entry], { sequence, at: Math.max(set.updatedAt, createdAt) });
    const audited = along(actor, "run.retry", runId, set.updatedAt, { organizationId });
    const change = { runId, expect: { status: from, turn }, set, entries, ...audited };
    const outcome = await changeWithSlot(deps, run, quotas, change);
    if (outcome === "no_slot" && ++lostSlots === slotAttempts) throw manyStarts();
    if (outcome === "no_slot" || outcome === "lost") continue;
    const { failure: _, ...continued } = { ...run, ...set, sequence: sequence + entries.length };
    if (outcome.waiting) return { ...continued, waiting: true };
    await workflow.start(runId, turn, continued);
    return continued;
  }
}
