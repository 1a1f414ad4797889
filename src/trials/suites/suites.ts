import { findAgent, requireNotDeleted } from "../../accounts/agents/agents.ts";
import { type Actor, along } from "../../accounts/audit.ts";
import { starterOf } from "../../accounts/starter.ts";
import { ServiceError } from "../../errors.ts";
import { beginRun } from "../../runs/begin/begin.ts";
import { keptId } from "../../runs/erase/kept.ts";
import type { Runs, Stores } from "../../runs/ports.ts";
import { transitions } from "../../runs/status.ts";
import type { Run } from "../../runs/run-types.ts";
import { maxCases } from "../names.ts";
import { maxSuites, suiteNamePattern } from "./limits.ts";

/** Turns of an agent that were kept, to try changes on them. Times are milliseconds since 1970. */
export interface Suite {
  id: string;
  agentId: string;
  name: string;
  createdAt: number;
  /** The operator. */
  createdBy?: string;
}

/** A recorded turn. */
export interface RecordedTurn {
  runId: string;
  turn: number;
}

/** A copy of a recorded turn, with what it began with. It is a run that belongs to the suite and does not expire. */
export interface KeptCase extends RecordedTurn {
  /** The turn that was copied. Its run may have expired. */
  origin: RecordedTurn;
  /** The beginning of the first line of its input. */
  input: string;
  keptAt: number;
  /** The operator. */
  keptBy?: string;
  /** Places that were redacted. */
  redacted: number;
}

/** A text to replace: the literal one, wherever it is, or what a pattern of RE2 matches within a line. */
export type RedactionRule = ({ text: string } | { pattern: string }) & {
  /** Default: `[redacted]`. */
  replacement?: string;
};

/** What is redacted before a case is kept. */
export interface Redaction {
  rules: RedactionRule[];
  /** Names of files that are kept as they are, although they cannot be redacted. */
  unredacted: string[];
}

/** Why a turn was not kept, as a sentence. `unredacted`: the files that would have to be kept as they are. */
export interface Refusal extends RecordedTurn {
  reason: string;
  unredacted?: string[];
}

// Suites use the stores of runs: a suite is a run without turns, which belongs to the list of its agent, and its cases are runs
// that belong to the suite. Their ids are those of what is kept, so nothing of them expires, and no list or count has them.

/** The owner of the suites of an agent. */
function suitesOf(agentId: string): string {
  return keptId("suites", agentId);
}

function suiteId(agentId: string, name: string): string {
  return keptId("suite", agentId, name);
}

/** The id of the copy of a turn in a suite. */
export function caseId({ id }: Pick<Suite, "id">, { runId, turn }: RecordedTurn): string {
  return keptId("case", id, runId, String(turn));
}

export interface CreateSuiteDeps extends Pick<Stores, "accounts" | "runs" | "removal"> {
  now: () => number;
  /** The operator. */
  actor?: Actor;
}

/** Creates an empty suite of an agent. Rejects for a name that it has or that cannot be used. */
export async function createSuite(deps: CreateSuiteDeps, agentId: string, name: string): Promise<Suite> {
  const { accounts, runs, removal, now, actor } = deps;
  const agent = requireNotDeleted(await findAgent(accounts, agentId));
  if (!new RegExp(`^${suiteNamePattern}$`).test(name)) {
    throw new ServiceError(
      "invalid_argument",
      `${JSON.stringify(name.slice(0, 100))} cannot be the name of a suite; accepted are 1 to 64 letters, digits, dots, hyphens and underscores, the first one a letter or digit`,
    );
  }
  const existing = await listSuites(runs, agent.id);
  const id = suiteId(agent.id, name);
  const before = await runs.head(id);
  if (before && isWhole(before)) {
    throw new ServiceError("suite_exists", `agent ${agent.id} already has a suite ${JSON.stringify(name)}`);
  }
  if (existing.length >= maxSuites) {
    throw new ServiceError(
      "invalid_argument",
      `agent ${agent.id} has ${maxSuites} suites, which is the most; delete one first`,
    );
  }
  if (before) await removal.removeRuns([id]); // of a deletion that was interrupted at its end
  const at = now();
  const owner = suitesOf(agent.id);
  const status = transitions.createdIdle.to;
  const suite = { id, agentId: owner, organizationId: owner, name, status, turn: 0, sequence: 0 };
  const run = beginRun({ ...suite, startedBy: starterOf(actor) }, at);
  await runs.create(run, [], along(actor, "suite.create", id, at, { organizationId: agent.organizationId }));
  return suiteIn(run, agent.id);
}

/** The suites of an agent, newest first. */
export async function listSuites(runs: Pick<Runs, "list">, agentId: string): Promise<Suite[]> {
  return (await runsOf(runs, suitesOf(agentId))).map((run) => suiteIn(run, agentId));
}

/** A suite of an agent. Rejects if it does not exist. */
export async function findSuite(runs: Pick<Runs, "head">, agentId: string, name: string): Promise<Suite> {
  const run = await runs.head(suiteId(agentId, name));
  if (run && isWhole(run)) return suiteIn(run, agentId);
  throw new ServiceError("suite_not_found", `agent ${agentId} has no suite ${JSON.stringify(name)}`);
}

/** Whether an owner of runs is a suite of the agent. */
export async function isSuiteOf(runs: Pick<Runs, "head">, owner: string, agentId: string): Promise<boolean> {
  return (await runs.head(owner))?.agentId === suitesOf(agentId);
}

/** The cases of a suite, in the order in which they were kept. */
export async function listKept(runs: Pick<Runs, "list">, suite: Pick<Suite, "id">): Promise<KeptCase[]> {
  return (await listCaseRuns(runs, suite)).map(caseIn);
}

/** The runs of the cases of a suite, in the same order. */
export async function listCaseRuns(runs: Pick<Runs, "list">, { id }: Pick<Suite, "id">): Promise<Run[]> {
  return (await runsOf(runs, id)).toReversed();
}

/** As `listCaseRuns`, with those that were not copied wholly. */
export function listAllRuns(runs: Pick<Runs, "list">, { id }: Pick<Suite, "id">): Promise<Run[]> {
  return runsOf(runs, id, () => true);
}

const pageSize = 100; // runs

async function runsOf(runs: Pick<Runs, "list">, owner: string, wanted = isWhole): Promise<Run[]> {
  const found: Run[] = [];
  let after: { createdAt: number; id: string } | undefined;
  do {
    const page = await runs.list({ agentIds: [owner], limit: pageSize, ...(after && { after }) });
    found.push(...page.runs.filter(wanted));
    after = page.next;
  } while (after);
  return found;
}

function isWhole({ status }: Run): boolean {
  return status === "finished";
}

function suiteIn({ id, name, createdAt, startedBy }: Run, agentId: string): Suite {
  return { id, agentId, name, createdAt, ...(startedBy && { createdBy: startedBy.id }) };
}

/** Labels of the run of a case: what it is a copy of, how it begins, and how many places were redacted. */
export function labelsOf({ origin, input, redacted }: Pick<KeptCase, "origin" | "input" | "redacted">) {
  return { run: origin.runId, turn: String(origin.turn), input, redacted: String(redacted) };
}

export function caseIn({ id, turn, createdAt, startedBy, labels = {} }: Run): KeptCase {
  return {
    runId: id,
    turn,
    origin: { runId: labels["run"] ?? id, turn: Number(labels["turn"] ?? turn) },
    input: labels["input"] ?? "",
    keptAt: createdAt,
    ...(startedBy && { keptBy: startedBy.id }),
    redacted: Number(labels["redacted"] ?? 0),
  };
}

/** Rejects for more cases than a trial can try. */
export function requireRoomFor(count: number): void {
  if (count <= maxCases) return;
  throw new ServiceError(
    "invalid_argument",
    `the suite would have ${count} cases; a suite has at most ${maxCases}, because a trial tries no more`,
  );
}
