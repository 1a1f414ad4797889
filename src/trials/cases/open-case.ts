import type { Failure } from "../../agent/model.ts";
import { answeredFromRecord, LeftTheRecord } from "../../agent/tools/recorded.ts";
import { type OfferedTool, offeredTools, type RecordedResults } from "../../agent/tools/tool.ts";
import type { JournalEntry } from "../../agent/turn/journal.ts";
import type { TurnOutcome } from "../../agent/turn/turn-types.ts";
import { canonicalJson } from "../../json.ts";
import type { Stores } from "../../runs/ports.ts";
import { recordedResults } from "../../runs/read/recorded-results.ts";
import { turnRecord } from "../../runs/read/turn-record.ts";
import type { TurnConfiguration } from "../../runs/turn-configuration.ts";
import type { Run, RunState } from "../../runs/run-types.ts";
import type { TurnSurroundings } from "../../workflow/turn-kind.ts";
import { configurationOf } from "./inspect-turn.ts";
import { checkVote } from "../judge.ts";
import type { Trials } from "../ports.ts";
import { callRecord, ruleOf } from "./recorded-calls.ts";
import { ownerOfCases } from "../trial-id.ts";
import { type AttemptName, attemptNames, isVote, type Trial, type TriedName } from "../trial-types.ts";

export interface CaseStores extends Pick<Stores, "runs" | "configurations"> {
  trials: Pick<Trials, "find" | "findCase" | "replace">;
}

/**
 * Opens the case of a trial that a run is. `failure`: the attempt has an outcome, because the trial was stopped or the case erased
 * before the turn began or continued.
 */
export async function openCase(
  stores: CaseStores,
  trialId: string,
  state: RunState,
): Promise<TurnSurroundings | { failure: Failure }> {
  const { trials } = stores;
  const place = placeIn(state.journal);
  const [trial, one] = place ? await Promise.all([trials.find(trialId), trials.findCase(trialId, place.case)]) : [];
  if (!trial || !place) throw new Error(`run ${state.run.id} belongs to a trial that does not exist`);
  const { arm: name, from } = place;
  const attempt = one?.[name];
  // What the turn would use is not counted any more, and nothing would stop it.
  if (trial.mode || attempt?.runId !== state.run.id || attempt.outcome) return { failure: attemptEnded };
  if (isVote(name)) return openVote(stores, trial, state.run);
  const [source, recordedRun] = await Promise.all([turnRecord(stores, from, state.run.turn), stores.runs.head(from)]);
  const tried = trial[name];
  const before = await configurationOf(stores, ownerOfCases(trial), source);
  // Without it, nothing would be known of the servers: all would be listed.
  if (typeof before === "string") throw new Error(`run ${state.run.id} cannot be tried any more: ${before}`);
  const { listed = [] } = tried;
  const known = new Map<string, OfferedTool[]>();
  for (const { name: server } of tried.definition.mcp ?? []) {
    // What a bundle says about the tools of a server is not trusted: the server is asked.
    const isSame = !recordedRun?.imported && isSameServer(server, before, tried.definition);
    const tools = toolsOf(server, isSame ? before.offered : listed);
    if (isSame || tools.length > 0) known.set(server, tools);
  }
  const { outside } = trial.settings;
  return {
    organizationId: trial.organizationId,
    known,
    results: resultsOf(stores.runs, state.run, from),
    endOf: leftRecord,
    async toolsOf(tools) {
      const fresh = offeredTools(tools).filter(({ origin }) => origin && !known.has(origin.server));
      // Of cases that list at the same time, the first one is kept.
      if (fresh.length > 0) await keepListed(trials, { trialId, name }, fresh);
      const record = callRecord(source.entries, state.journal);
      return answeredFromRecord(tools, record, (tool) => ruleOf(outside, tool));
    },
  };
}

const attemptEnded: Failure = {
  category: "internal",
  title: "The trial ended this attempt before its turn could begin or continue.",
  remedy: "Create another trial to try the turn again.",
  retryable: false,
};

/** Writes that are lost to others, after which the next case lists the tools again. */
const keepAttempts = 5;

/** Adds tools to those that a configuration has listed, unless another case has listed their server. */
async function keepListed(
  trials: Pick<Trials, "find" | "replace">,
  { trialId, name }: { trialId: string; name: TriedName },
  fresh: OfferedTool[],
): Promise<void> {
  for (let attempt = 1; attempt <= keepAttempts; attempt++) {
    const trial = await trials.find(trialId);
    if (!trial) return;
    const { listed = [] } = trial[name];
    const added = fresh.filter(({ origin }) => !listed.some((tool) => tool.origin?.server === origin?.server));
    if (added.length === 0) return;
    const next = { ...trial, revision: trial.revision + 1, [name]: { ...trial[name], listed: [...listed, ...added] } };
    if (await trials.replace(next)) return;
  }
}

/** A judge has no tools, whatever its definition says: what it reads is not trusted. */
function openVote({ runs }: CaseStores, { organizationId }: Trial, run: Run): TurnSurroundings {
  return {
    organizationId,
    results: recordedResults(runs, run),
    checkResult: checkVote,
    toolsOf: () => [],
    endOf: (running) => running,
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

/** A turn that left the record has failed. */
function leftRecord(running: Promise<TurnOutcome>): Promise<TurnOutcome> {
  return running.catch((error: unknown) => {
    if (!(error instanceof LeftTheRecord)) throw error;
    const title = `The turn called ${error.tool}, and the recorded turn has no answer to this call.`;
    return { kind: "failed", failure: { category: "left_record", title, remedy: tryAnotherRule, retryable: false } };
  });
}

const tryAnotherRule =
  "Choose for the tool what a trial answers to such calls: an error, a fixed text, or a live call.";

/** Where a turn belongs in a trial, as its mark says it. `case`: from 1. */
export interface TrialPlace {
  case: number;
  arm: AttemptName;
}

/** The place of a turn, and the run of the recorded one. Undefined: the journal does not say it. */
export function placeIn(journal: JournalEntry[]): (TrialPlace & { from: string }) | undefined {
  for (const entry of journal) {
    if (entry.part !== "forked" || !entry.trial) continue;
    const { case: number } = entry.trial;
    const arm = attemptNames.find((name) => name === entry.trial?.["arm"]);
    if (typeof number === "number" && arm) return { case: number, arm, from: entry.from };
  }
  return undefined;
}
