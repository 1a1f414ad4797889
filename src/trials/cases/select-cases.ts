import { ServiceError } from "../../errors.ts";
import type { Stores } from "../../runs/ports.ts";
import { findRunHead } from "../../runs/read/find-run.ts";
import { listRuns } from "../../runs/read/list-runs.ts";
import type { RunStatus } from "../../runs/status.ts";
import type { Run } from "../../runs/run-types.ts";
import { maxCases } from "../names.ts";
import { findSuite, listCaseRuns, type Suite } from "../suites/suites.ts";

/** Which recorded turns of an agent are tried: the last ones, those of some runs, or those of a suite. Without `turn`: all turns of the run. */
export type CaseSelection =
  | { last: number; statuses?: RunStatus[]; label?: { name: string; value: string }; since?: number }
  | { runs: { runId: string; turn?: number }[] }
  | { suite: string };

/** A turn that has ended with an output. */
export interface SelectedTurn {
  run: Run;
  turn: number;
}

/** Runs per read of the list, and of those that a selection reads at most. */
const [pageLimit, maxRead] = [250, 10_000];

/** The turns of a selection, at least one. `suite`: the one that it names. */
export interface SelectedTurns {
  turns: SelectedTurn[];
  suite?: Pick<Suite, "id" | "name">;
}

/** Newest runs first, and the turns of a run in their order; the cases of a suite as they were kept. Rejects if there is none. */
export async function selectTurns(
  deps: Pick<Stores, "accounts" | "runs">,
  agentId: string,
  selection: CaseSelection,
): Promise<SelectedTurns> {
  if ("suite" in selection) {
    const { id, name } = await findSuite(deps.runs, agentId, selection.suite);
    const turns = (await listCaseRuns(deps.runs, { id })).map((run) => ({ run, turn: run.turn }));
    if (turns.length > 0) return { turns, suite: { id, name } };
    throw invalid(`the suite ${JSON.stringify(name)} has no case; a trial needs at least one`);
  }
  const turns =
    "runs" in selection ? await turnsOfRuns(deps, agentId, selection.runs) : await lastTurns(deps, agentId, selection);
  if (turns.length > 0) return { turns };
  throw invalid("the agent has no finished turn that matches; a trial needs at least one");
}

async function lastTurns(
  deps: Pick<Stores, "accounts" | "runs">,
  agentId: string,
  { last, statuses = ["finished"], label, since }: Extract<CaseSelection, { last: number }>,
): Promise<SelectedTurn[]> {
  const found: SelectedTurn[] = [];
  let cursor: string | undefined;
  for (let read = 0; read < maxRead && found.length < last; read += pageLimit) {
    const filter = {
      of: { agent: agentId, imported: false } as const,
      statuses,
      ...(since !== undefined && { since }),
      limit: pageLimit,
    };
    const page = await listRuns(deps, { ...filter, ...(cursor !== undefined && { cursor }) });
    for (const run of page.runs) {
      if (run.name === "" || (label && run.labels?.[label.name] !== label.value)) continue;
      found.push(...endedTurns(run).slice(-(last - found.length)));
      if (found.length >= last) break;
    }
    ({ cursor } = page);
    if (cursor === undefined) break;
  }
  return found;
}

async function turnsOfRuns(
  { runs }: Pick<Stores, "runs">,
  agentId: string,
  wanted: { runId: string; turn?: number }[],
): Promise<SelectedTurn[]> {
  const found: SelectedTurn[] = [];
  for (const { runId, turn } of wanted) {
    const run = await findRunHead(runs, runId);
    if (run.agentId !== agentId) {
      throw invalid(`run ${run.id} is not of agent ${agentId}; a trial tries runs of its agent`);
    }
    const ended = endedTurns(run).filter((each) => turn === undefined || each.turn === turn);
    if (ended.length === 0) {
      const named = turn === undefined ? "no turn" : `no turn ${turn}`;
      throw invalid(`run ${run.id} has ${named} that ended with an output; only such turns can be tried`);
    }
    found.push(...ended);
    if (found.length > maxCases) break;
  }
  return found;
}

/** The turns of a run that ended with an output: the last one may be in progress, or have failed. */
export function endedTurns(run: Run): SelectedTurn[] {
  const count = run.status === "finished" ? run.turn : run.turn - 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({ run, turn: index + 1 }));
}

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_argument", message);
}
