import { findAgent, requireNotDeleted } from "../../accounts/agents/agents.ts";
import { ServiceError } from "../../errors.ts";
import { findRunHead } from "../../runs/read/find-run.ts";
import type { Run } from "../../runs/run-types.ts";
import { type EraseSuiteDeps, removeCase } from "../erase-trials.ts";
import { findCase, findTrial } from "../find-trial.ts";
import { inspectTurn } from "../cases/inspect-turn.ts";
import type { Trials } from "../ports.ts";
import { endedTurns } from "../cases/select-cases.ts";
import { keepTurn, type KeepDeps } from "./keep-turn.ts";
import { compileRedactor } from "./redactor.ts";
import {
  caseId,
  caseIn,
  findSuite,
  isSuiteOf,
  listKept,
  requireRoomFor,
  type KeptCase,
  type RecordedTurn,
  type Redaction,
  type Refusal,
  type Suite,
} from "./suites.ts";

/** A turn to keep: of a run, or that of a case of a finished trial. Without `turn`: all turns of the run with an output. */
export type TurnToKeep = { runId: string; turn?: number } | { trialId: string; number: number };

export interface AddCasesDeps extends KeepDeps, EraseSuiteDeps {
  trials: Trials;
}

/** What was kept. `present`: the suite had it before. */
export interface AddedCases {
  suite: Suite;
  added: KeptCase[];
  present: KeptCase[];
  refused: Refusal[];
}

/**
 * Keeps turns in a suite, each redacted before it is stored. A turn that cannot be kept, or not be redacted, is refused with the
 * reason; the others are kept.
 */
export async function addCases(
  deps: AddCasesDeps,
  { agentId, name }: { agentId: string; name: string },
  turns: TurnToKeep[],
  redaction: Redaction,
): Promise<AddedCases> {
  const agent = requireNotDeleted(await findAgent(deps.accounts, agentId));
  const suite = await findSuite(deps.runs, agent.id, name);
  const newRedactor = redaction.rules.length > 0 ? await compileRedactor(redaction.rules) : undefined;
  const found = (await Promise.all(turns.map((turn) => turnsOf(deps, agent.id, turn)))).flat();
  const before = await listKept(deps.runs, suite);
  const unique = new Map(found.map((turn) => [caseId(suite, turn.origin), turn]));
  requireRoomFor(new Set([...before.map(({ runId }) => runId), ...unique.keys()]).size);
  const result: AddedCases = { suite, added: [], present: [], refused: [] };
  for (const [id, turn] of unique) {
    const existing = await deps.runs.head(id);
    if (existing?.status === "finished") {
      result.present.push(caseIn(existing));
      continue;
    }
    if (existing) await removeCase(deps, existing);
    const inspected = await inspectTurn(deps, turn);
    const redacted = newRedactor && { redactor: newRedactor(), unredacted: redaction.unredacted };
    const kept = await keepTurn(
      deps,
      { ...suite, organizationId: agent.organizationId },
      { ...inspected, origin: turn.origin },
      redacted,
    );
    if ("reason" in kept) {
      await deps.workspace.removeAll(id);
      result.refused.push({ ...turn.origin, ...kept });
    } else if ((await findRunHead(deps.runs, turn.run.id)).name === "") {
      await removeCase(deps, await findRunHead(deps.runs, id)); // the deletion of its run has not seen it
      result.refused.push({ ...turn.origin, reason: "The run was deleted." });
    } else result.added.push(kept);
  }
  return result;
}

/** A turn that can be copied: of a run of the agent, or of a case of one of its suites. */
interface FoundTurn {
  run: Run;
  turn: number;
  origin: RecordedTurn;
}

async function turnsOf(deps: AddCasesDeps, agentId: string, wanted: TurnToKeep): Promise<FoundTurn[]> {
  const { runId, turn } = "trialId" in wanted ? await turnOfCase(deps, wanted) : wanted;
  const run = await findRunHead(deps.runs, runId);
  const isCopy = run.agentId !== agentId;
  if (isCopy && !(await isSuiteOf(deps.runs, run.agentId, agentId))) {
    throw invalid(`run ${run.id} is not of agent ${agentId}; a suite has turns of its agent`);
  }
  const last = isCopy ? [{ run, turn: run.turn }] : endedTurns(run);
  const ended = last.filter((each) => turn === undefined || each.turn === turn);
  if (ended.length === 0) {
    const named = turn === undefined ? "no turn" : `no turn ${turn}`;
    throw invalid(`run ${run.id} has ${named} that ended with an output; only such turns can be kept`);
  }
  return ended.map(({ turn: number }) => ({
    run,
    turn: number,
    origin: isCopy ? caseIn(run).origin : { runId: run.id, turn: number },
  }));
}

async function turnOfCase(
  { trials }: AddCasesDeps,
  { trialId, number }: { trialId: string; number: number },
): Promise<RecordedTurn> {
  const trial = await findTrial(trials, trialId);
  if (trial.status !== "finished") {
    throw invalid(`trial ${trial.id} is ${trial.status}; keep its cases after it has finished`);
  }
  return (await findCase(trials, trial.id, number)).source;
}

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_argument", message);
}
