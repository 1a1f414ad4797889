import { requireActive } from "../../accounts/agents/agents.ts";
import { along } from "../../accounts/audit.ts";
import { requireModelsRunning } from "../../accounts/model-stop.ts";
import { starterOf } from "../../accounts/starter.ts";
import type { Agent, Organization } from "../../accounts/account-types.ts";
import {
  applyChanges,
  defaultFileVersions,
  entriesIn,
  type FileVersion,
  type Manifest,
  manifestOf,
} from "../../agent/turn/files/manifest.ts";
import { ServiceError } from "../../errors.ts";
import { log } from "../../log.ts";
import { changeWithSlot, manyStarts, requireDollars, slotAttempts } from "../admission.ts";
import { beginRun } from "../begin/begin.ts";
import { noCompanions } from "../erase/companions.ts";
import { deleteRun } from "../control/control-run.ts";
import { changedFiles, stamped } from "../events.ts";
import { listRunFiles, notKept, type RunFiles, type RunPoint } from "../files/read-files.ts";
import { bytesOfFiles, requireStorage, storageLimits } from "../files/stored-bytes.ts";
import { newRunLimits } from "../begin/new-run-limits.ts";
import type { RunServices } from "../ports.ts";
import { quotasOf } from "../quotas.ts";
import { summaryOf } from "../read/conversation.ts";
import { findRunHead } from "../read/find-run.ts";
import { newRunId } from "../begin/run-id.ts";
import { transitions } from "../status.ts";
import { startTurn } from "../turn-writes.ts";
import type { Quotas, Run, RunEvent, RunJournalEntry } from "../run-types.ts";
import { copyConfigurations } from "./copy-configurations.ts";
import { appendGroups, changedMeanwhile, type EarlierTurns, groupsOf } from "./copy-events.ts";
import { eventsOfFork, type RecordChanges, recordUpTo, withoutAnswers, withoutConfiguration } from "./copied-record.ts";
import { settingsOfFork, type SettingsChanges } from "./fork-settings.ts";
import { incompleteFork, requireWholeRecord } from "./incomplete-fork.ts";

/** Where a run is forked, and what is different from there. */
export interface Fork {
  at: RunPoint;
  /** Default: `Fork of` and the name of the run. */
  name?: string | undefined;
  record?: RecordChanges;
  settings?: SettingsChanges;
}

/**
 * Creates a run with the record of another one up to a step, which it continues: tools run live from there. The other run stays
 * as it is. The fork has no webhook, labels or tokens, and counts only what it spends itself. It may wait for a slot.
 *
 * Rejects for a step that does not exist or ended its turn, files that are no longer kept, a configuration that cannot be used,
 * and as a create for quotas. Until the record is copied, the fork shows `technical_error`: a crash leaves a run that neither
 * accepts inputs nor can be retried.
 */
export async function forkRun(deps: RunServices, id: string, fork: Fork): Promise<Run> {
  const { accounts, runs, now } = deps;
  const source = await findRunHead(runs, id);
  const { agentId, organizationId } = source;
  const [found, organization] = await Promise.all([
    accounts.findAgent(agentId),
    accounts.findOrganization(organizationId),
  ]);
  const agent = requireActive(found, "fork runs");
  requireModelsRunning(organization);
  if (source.name === "") throw new ServiceError("run_ended", `run ${source.id} was deleted and has no record to fork`);
  requireWholeRecord(source);
  const { events, settings, files } = await preparedFork(deps, source, { agent, organization }, fork);
  const quotas = quotasOf(agent, organization);
  if (quotas) await requireDollars(deps, source, quotas);
  await requireStorage(runs, source, { limits: storageLimits(agent, organization), bytes: bytesOfFiles(files) });
  const state = await runs.loadTurn(source.id);
  const runId = newRunId(now());
  const copy = { events, files, uploads: state?.uploads ?? [] };
  try {
    const copied = await copyRecord(deps, { source, runId, fork }, copy);
    if (settings) await deps.configurations.put(agentId, settings);
    return await startFork(deps, copied, quotas, {
      turn: fork.at.turn,
      step: fork.at.step,
      part: "forked",
      from: source.id,
      ...(settings && { settings: settings.hash }),
    });
  } catch (error) {
    await discard(deps, runId);
    throw error;
  }
}

/** Everything of a fork that can be refused without a write. */
async function preparedFork(
  deps: RunServices,
  source: Run,
  owner: { agent: Agent; organization: Organization | undefined },
  { at, record = {}, settings: changes = {} }: Fork,
) {
  const { events, turnEntries } = await recordUpTo(deps, source, at);
  const { files } = await listRunFiles(deps, source.id, at); // also checks that the step exists
  const kept = eventsOfFork(events, at, record);
  const copied = source.imported ? withoutAnswers(kept).map(withoutConfiguration) : kept;
  const entries = at.step === 0 ? turnEntries : turnEntries.filter(({ step }) => step <= at.step);
  const settings = await settingsOfFork(deps, { run: source, ...owner, entries, step: at.step }, changes);
  return { events: copied, settings, files };
}

/** Creates the run of the fork and copies the record to it, with the contents of files and what its turns ran on. */
async function copyRecord(
  deps: RunServices,
  { source, runId, fork }: { source: Run; runId: string; fork: Fork },
  { events, files, uploads }: { events: RunEvent[]; files: RunFiles["files"]; uploads: FileVersion[] },
): Promise<Run> {
  const { runs, workspace, configurations, actor, now } = deps;
  const { at, name = forkName(source.name) } = fork;
  const { agentId, organizationId, resultSchema } = source;
  const entries = events.filter((event) => "part" in event);
  const contents = new Set([...uploads, ...entries.flatMap(changedFiles)].flatMap(({ sha256 }) => sha256 ?? []));
  const missing = new Set(await workspace.link(source.id, runId, [...contents]));
  const lost = files.find(({ sha256 }) => missing.has(sha256));
  if (lost) throw notKept(lost, at);
  await copyConfigurations(configurations, { from: agentId, to: agentId }, entries, resultSchema);
  const createdAt = now();
  const [first, ...groups] = groupsOf(events, createdAt);
  if (!first) throw new Error(`run ${source.id} has no event to fork`);
  const own = {
    id: runId,
    agentId,
    organizationId,
    name,
    status: transitions.forkCreated.to,
    failure: incompleteFork,
    turn: first.turn,
    sequence: first.messages.length,
    startedBy: starterOf(actor),
  };
  const run = beginRun(own, createdAt, { of: source, as: "fork" });
  const audited = along(actor, "run.fork", runId, createdAt, { organizationId });
  await runs.create(run, first.messages, { uploads, ...audited });
  const before = entries.filter(({ turn }) => turn < at.turn);
  const earlier = earlierTurns(manifestOf(uploads), before, missing);
  return appendGroups(deps, run, groups, { turn: at.turn, earlier });
}

/** Lets the fork continue the record. It may wait for a slot. */
async function startFork(
  deps: RunServices,
  run: Run,
  quotas: Quotas | undefined,
  forked: RunJournalEntry,
): Promise<Run> {
  const { id: runId, turn, sequence } = run;
  const { from, to } = transitions.forkStarted;
  for (let attempt = 1; attempt <= slotAttempts; attempt++) {
    const set = { status: to, turn, updatedAt: deps.now() };
    const entries = stamped([forked], { sequence, at: Math.max(set.updatedAt, run.createdAt) });
    const outcome = await changeWithSlot(deps, run, quotas, { runId, expect: { status: from, turn }, set, entries });
    if (outcome === "lost") throw changedMeanwhile(runId);
    if (outcome === "no_slot") continue;
    const { failure: _, ...started } = { ...run, ...set, sequence: sequence + 1 };
    if (outcome.waiting) return { ...started, waiting: true };
    await startTurn(deps, started, turn);
    return started;
  }
  throw manyStarts();
}

/** What the run had after the earlier turns, as their ends recorded it. `missing`: contents that are no longer kept. */
function earlierTurns(uploads: Manifest, entries: RunJournalEntry[], missing: Set<string>): EarlierTurns {
  const changes = entries.flatMap(changedFiles);
  const summary = summaryOf(entries);
  const { manifest } = applyChanges(uploads, changes, defaultFileVersions);
  const files = entriesIn(manifest).map(({ old = [], ...file }) => {
    const kept = old.filter((sha256) => !missing.has(sha256));
    return Object.assign(file, kept.length > 0 && { old: kept });
  });
  return { ...(changes.length > 0 && { files }), ...(summary && { summary }) };
}

function forkName(name: string): string {
  return [...`Fork of ${name}`].slice(0, newRunLimits.nameLength).join("");
}

/** Deletes what a fork that was refused has stored. */
async function discard(forkDeps: RunServices, runId: string): Promise<void> {
  const { actor: _, ...deps } = forkDeps;
  try {
    if (await deps.runs.head(runId)) await deleteRun({ ...deps, companions: noCompanions }, runId);
    else await deps.workspace.removeAll(runId);
  } catch (error) {
    log("error", "the run of a fork that failed could not be deleted", { runId, error });
  }
}
