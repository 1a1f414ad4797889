import type { Failure } from "../agent/model.ts";
import { answeredFromRecord } from "../agent/tools/recorded.ts";
import type { OfferedTool, RecordedResults, Tool } from "../agent/tools/tool.ts";
import type { ForkedEntry } from "../agent/turn/journal.ts";
import type { RecordedSteps } from "../agent/turn/next-steps.ts";
import { canonicalJson } from "../json.ts";
import type { CheckResult } from "../results/types.ts";
import type { Stores } from "../runs/ports.ts";
import { readableEntries } from "../runs/fork/copied-record.ts";
import { recordedResults } from "../runs/read/recorded-results.ts";
import { turnRecord } from "../runs/read/turn-record.ts";
import type { TurnConfiguration } from "../runs/turn-configuration.ts";
import type { Run, RunJournalEntry, RunState } from "../runs/types.ts";
import type { Trials } from "./ports.ts";
import { configurationOf } from "./inspect-turn.ts";
import { checkVote } from "./judge/vote.ts";
import { callRecord, ruleOf } from "./recorded-calls.ts";
import { openReplay, type RecordedTurn } from "./replay/open-replay.ts";
import { ownerOfCases, trialOf } from "./trial-id.ts";
import type { ArmName, Trial } from "./types.ts";

export interface CaseStores extends Pick<Stores, "runs" | "configurations"> {
  /** Absent: no run belongs to a trial. */
  trials?: Pick<Trials, "find" | "findCase" | "replace">;
}

/** What a turn of a trial has in place of the world outside. */
export interface OpenCase {
  /** Whose model and secrets the turn uses. */
  organizationId: string;
  /** The tools of MCP servers that need not be listed, by server. */
  known: Map<string, OfferedTool[]>;
  /** Results of earlier turns are those of the recorded run: an attempt copies only its conversation. */
  results: RecordedResults;
  /** How the result of the turn is checked. Absent: as every result. */
  checkResult?: CheckResult;
  /** The recorded steps that the turn answers. Absent: it takes the turn anew. */
  steps?: RecordedSteps;
  /** What is in place of the model and the tools. Absent: they are opened. */
  replay?: RecordedTurn;
  /** The tools of the turn: calls that leave the service are answered from the record. Keeps what servers have listed. */
  withRecord(tools: Tool[], offered: OfferedTool[]): Promise<Tool[]>;
}

/**
 * Opens the case of a trial that a run is. Undefined: the run belongs to no trial. `failure`: the attempt has an outcome, because
 * the trial was stopped or the case erased before the turn began or went on. Throws if the trial was deleted.
 */
export async function openCase(
  stores: CaseStores,
  state: RunState,
): Promise<OpenCase | { failure: Failure } | undefined> {
  const trialId = trialOf(state.run);
  if (trialId === undefined) return undefined;
  const { trials } = stores;
  const forked = state.journal.find((entry): entry is RunJournalEntry & ForkedEntry => entry.part === "forked");
  const [trial, one] = forked?.trial
    ? await Promise.all([trials?.find(trialId), trials?.findCase(trialId, forked.trial.case)])
    : [];
  if (!trials || !trial || !forked?.trial)
    throw new Error(`run ${state.run.id} belongs to a trial that does not exist`);
  const { arm } = forked.trial;
  const attempt = one?.[arm];
  // What the turn would use is not counted any more, and nothing would stop it.
  if (attempt?.runId !== state.run.id || attempt.outcome) return { failure: attemptEnded };
  if (arm !== "candidate" && arm !== "control") return openVote(stores, trial, state.run);
  const [source, recordedRun] = await Promise.all([
    turnRecord(stores, forked.from, state.run.turn),
    stores.runs.head(forked.from),
  ]);
  const tried = trial[arm];
  const before = await configurationOf(stores, ownerOfCases(trial), source);
  // Without it, nothing would be known of the servers: all would be listed.
  if (typeof before === "string") throw new Error(`run ${state.run.id} cannot be tried any more: ${before}`);
  const { listed = [] } = tried;
  const known = new Map<string, OfferedTool[]>();
  for (const { name } of tried.definition.mcp ?? []) {
    // What a bundle says that a server offered is nobody's here: the server is asked.
    const isSame = !recordedRun?.imported && isSameServer(name, before, tried.definition);
    const tools = toolsOf(name, isSame ? before.offered : listed);
    if (isSame || tools.length > 0) known.set(name, tools);
  }
  const { outside } = trial.settings;
  return {
    organizationId: trial.organizationId,
    known,
    results: resultsOf(stores.runs, state.run, forked.from),
    ...(trial.mode === "next_step" && {
      steps: { entries: readableEntries(recordedRun, source.entries), budget: attempt.budget },
    }),
    ...(trial.mode === "replay" &&
      recordedRun && { replay: openReplay(recordedRun, source.entries, before, state.journal) }),
    async withRecord(tools, offered) {
      const fresh = offered.filter(({ origin }) => origin && !known.has(origin.server));
      // Of cases that list at the same time, the first one is kept.
      if (fresh.length > 0) await keepListed(trials, { trialId, arm }, fresh);
      const record = callRecord(source.entries, state.journal);
      return answeredFromRecord(tools, record, (name) => ruleOf(outside, name));
    },
  };
}

const attemptEnded: Failure = {
  category: "internal",
  title: "The trial had ended this attempt before its turn began or went on.",
  remedy: "Create another trial to try the turn again.",
  retryable: false,
};

/** Writes that are lost to others, after which the next case lists the tools again. */
const keepAttempts = 5;

/** Adds tools to those that an arm has listed, unless another case has listed their server. */
async function keepListed(
  trials: Pick<Trials, "find" | "replace">,
  { trialId, arm }: { trialId: string; arm: ArmName },
  fresh: OfferedTool[],
): Promise<void> {
  for (let attempt = 1; attempt <= keepAttempts; attempt++) {
    const trial = await trials.find(trialId);
    if (!trial) return;
    const { listed = [] } = trial[arm];
    const added = fresh.filter(({ origin }) => !listed.some((tool) => tool.origin?.server === origin?.server));
    if (added.length === 0) return;
    const next = { ...trial, revision: trial.revision + 1, [arm]: { ...trial[arm], listed: [...listed, ...added] } };
    if (await trials.replace(next)) return;
  }
}

/** A judge has no tools, whatever its definition says: what it reads is not trusted. */
function openVote({ runs }: CaseStores, { organizationId }: Trial, run: Run): OpenCase {
  return {
    organizationId,
    known: new Map(),
    results: recordedResults(runs, run),
    checkResult: checkVote,
    withRecord: async () => [],
  };
}

/** Whether a server has the same settings as in the recorded turn: then its tools are those that the turn was offered. */
function isSameServer(
  name: string,
  { agent }: TurnConfiguration,
  definition: Trial["candidate"]["definition"],
): boolean {
  const settingsOf = ({ mcp = [] }: typeof definition) => canonicalJson(mcp.find((server) => server.name === name));
  return settingsOf(agent) === settingsOf(definition);
}

function resultsOf(runs: Stores["runs"], run: Run, source: string): RecordedResults {
  const [own, earlier] = [recordedResults(runs, run), recordedResults(runs, { id: source, turn: run.turn })];
  return { turn: run.turn, at: (place) => (place.turn < run.turn ? earlier : own).at(place) };
}

function toolsOf(server: string, offered: OfferedTool[]): OfferedTool[] {
  return offered.filter(({ origin }) => origin?.server === server);
}
