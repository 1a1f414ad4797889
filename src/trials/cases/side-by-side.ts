import { ServiceError } from "../../errors.ts";
import { listFilesAfter } from "../../runs/files/read-files.ts";
import type { Stores } from "../../runs/ports.ts";
import { findRunHead } from "../../runs/read/find-run.ts";
import { turnEvents } from "../../runs/read/turn-record.ts";
import type { Run } from "../../runs/run-types.ts";
import { type Alignment, alignCalls, compareTurns, type TurnEnd } from "./compare.ts";
import { type TurnCall, type TurnFacts, turnFacts } from "./turn-facts.ts";
import type { FileDifference, TrialCase, TriedName } from "../trial-types.ts";

/** A case with what its turns did. Absent ones were not tried. */
export interface CaseDetail extends Partial<Record<TriedName, TurnFacts>> {
  recorded: TurnFacts;
  /** The calls of the recorded turn on the left, and those of the candidate on the right. */
  calls: Alignment<TurnCall>;
}

/** Reads what the recorded turn of a case and the attempts at it did. A deleted run has done nothing. */
export async function readCase(deps: Pick<Stores, "runs">, { source, ...attempts }: TrialCase): Promise<CaseDetail> {
  const factsOf = async (runId: string) => turnFacts(await turnEvents(deps, runId, source.turn), source.turn);
  const [recorded, candidate, control] = await Promise.all([
    factsOf(source.runId),
    attempts.candidate && factsOf(attempts.candidate.runId),
    attempts.control && factsOf(attempts.control.runId),
  ]);
  const calls = alignCalls(recorded.calls, candidate?.calls ?? []);
  return { recorded, ...(candidate && { candidate }), ...(control && { control }), calls };
}

type Deps = Pick<Stores, "runs" | "workspace">;

/** A turn of a run. Without `turn`: the last one. */
export interface ComparedPlace {
  id: string;
  turn?: number | undefined;
}

/** A turn of a comparison with its run. */
export interface ComparedTurn {
  run: Run;
  facts: TurnFacts;
}

/** Two turns side by side: the first on the left. */
export interface TurnComparison {
  left: ComparedTurn;
  right: ComparedTurn;
  sameOutput: boolean;
  /** How the files after the right turn differ from those after the left one. */
  files: FileDifference[];
  calls: Alignment<TurnCall>;
}

/**
 * Compares what two turns did, of two runs or of one. A turn in progress counts with what is recorded of it. Rejects with
 * `run_not_found`, and with `step_not_found` for a turn that a run does not have.
 */
export async function compareRuns(deps: Deps, place: ComparedPlace, other: ComparedPlace): Promise<TurnComparison> {
  const [one, two] = await Promise.all([readTurn(deps, place), readTurn(deps, other)]);
  const compared = compareTurns(endOf(one), endOf(two));
  return { left: one, right: two, ...compared, calls: alignCalls(one.facts.calls, two.facts.calls) };
}

interface ReadTurn extends ComparedTurn {
  files: TurnEnd["files"];
}

async function readTurn(deps: Deps, { id, turn: wanted }: ComparedPlace): Promise<ReadTurn> {
  const run = await findRunHead(deps.runs, id);
  const turn = wanted ?? run.turn;
  if (turn < 1 || turn > run.turn) {
    const has = run.turn === 0 ? "no turn yet" : `the turns 1 to ${run.turn}`;
    throw new ServiceError("step_not_found", `run ${run.id} has ${has}, not turn ${wanted ?? 1}`);
  }
  const events = await turnEvents(deps, run.id, turn);
  const { files } = await listFilesAfter(deps, run.id, turn, events);
  return { run, facts: turnFacts(events, turn), files };
}

function endOf({ facts: { output }, files }: ReadTurn): TurnEnd {
  return { output, files };
}
