import { findAgent, requireActive } from "../../accounts/agents/agents.ts";
import { along } from "../../accounts/audit.ts";
import { starterOf } from "../../accounts/starter.ts";
import { ServiceError } from "../../errors.ts";
import { log } from "../../log.ts";
import { beginRun } from "../begin/begin.ts";
import { noCompanions } from "../erase/companions.ts";
import { deleteRun } from "../control/control-run.ts";
import { bytesOfFiles, requireStorage, storageLimits } from "../files/stored-bytes.ts";
import { appendGroups, type EventGroup } from "../fork/copy-events.ts";
import { incompleteImport } from "../fork/incomplete-fork.ts";
import type { RunServices } from "../ports.ts";
import { findRunHead } from "../read/find-run.ts";
import { transitions } from "../status.ts";
import type { Run, RunEvent, Stamped } from "../run-types.ts";
import { type CheckedBundle, checkBundle } from "./check-record.ts";
import { type BundleFile, badBundle } from "./read-archive.ts";
import { hashOf, readEvents, readListed, textIn } from "./read-bundle.ts";

type Import = Omit<RunServices, "secretRefusal">;

/** Contents that are stored together, in bytes. */
const contentsAtOnce = 8 * 1024 ** 2;
/** Events of a write, as of a fork (`copy-events.ts`). */
const eventsAtOnce = 40;

/**
 * Creates a run of an agent from a bundle, with its whole record. The run is read-only, has no webhook and counts no usage; its
 * times are those of the import. Everything in the bundle is checked before anything is stored. Until the record is copied, the run
 * shows `technical_error`: a crash leaves a run that can only be deleted. Resolves with the run.
 */
export async function importBundle(deps: Import, agentId: string, file: BundleFile): Promise<Run> {
  const agent = requireActive(await findAgent(deps.accounts, agentId), "import runs");
  const organization = await deps.accounts.findOrganization(agent.organizationId);
  const checked = await checkBundle(file);
  const owner = { agentId: agent.id, organizationId: agent.organizationId };
  const limits = storageLimits(agent, organization);
  await requireStorage(deps.runs, owner, { limits, bytes: bytesOfFiles(checked.files) });
  const run = newRun(deps, owner, checked, await hashOf(file));
  try {
    return await store(deps, run, checked);
  } catch (error) {
    await discard(deps, run.id);
    throw error;
  }
}

function newRun(
  { now, actor }: Import,
  owner: Pick<Run, "agentId" | "organizationId">,
  { record: { runId, run }, missing }: CheckedBundle,
  sha256: string,
): Run {
  const own = {
    ...owner,
    name: run.name,
    status: transitions.forkCreated.to,
    failure: incompleteImport,
    turn: Math.min(run.turn, 1),
    sequence: Math.min(run.sequence, 1),
    startedBy: starterOf(actor),
    imported: { runId, sha256, run, ...(missing.length > 0 && { missing }) },
  };
  return beginRun(own, now(), { of: run, as: "import" });
}

async function store(deps: Import, run: Run, { bundle, record, ended }: CheckedBundle): Promise<Run> {
  const { runs, configurations, actor, now } = deps;
  for (const [hash, member] of bundle.configurations) {
    await configurations.put(run.agentId, { hash, text: textIn(await readListed(bundle, member), member.name) });
  }
  await storeContents(deps, run, bundle);
  const groups = groupsIn(readEvents(bundle));
  const first = (await groups.next()).value;
  const audited = along(actor, "run.import", run.id, run.createdAt, { organizationId: run.organizationId });
  await runs.create(run, first?.messages ?? [], { uploads: record.uploads ?? [], ...audited });
  const { files, summary } = record;
  const after = { ...(files && { files }), ...(summary && { summary }) };
  const copied = await appendGroups(deps, run, groups, { turn: record.run.turn, earlier: ended ? {} : after });
  const { turn } = copied;
  const { status, failure } = record.run;
  const set = { status, turn, updatedAt: now(), ...(failure && { failure }) };
  const change = {
    runId: run.id,
    expect: { status: transitions.recordKept.from, turn },
    set,
    facts: run,
    ...(ended && after),
  };
  if (copied.sequence !== record.run.sequence) throw badBundle("it was changed while it was read");
  if (!(await runs.change(change)))
    throw new ServiceError("modified_concurrently", `run ${run.id} was changed while it was imported; import it again`);
  return findRunHead(runs, run.id);
}

async function storeContents({ workspace }: Import, { id }: Run, bundle: CheckedBundle["bundle"]): Promise<void> {
  let [contents, bytes]: [{ sha256: string; content: Uint8Array }[], number] = [[], 0];
  for (const [sha256, member] of bundle.contents) {
    if (contents.length > 0 && bytes + member.size > contentsAtOnce) {
      await workspace.write(id, contents);
      [contents, bytes] = [[], 0];
    }
    contents.push({ sha256, content: await readListed(bundle, member) });
    bytes += member.size;
  }
  if (contents.length > 0) await workspace.write(id, contents);
}

/** The events in groups that are written together, as `groupsOf`. The first one is the run's first input alone. */
async function* groupsIn(events: AsyncIterable<Stamped<RunEvent>>): AsyncGenerator<EventGroup, undefined> {
  let group: EventGroup | undefined;
  for await (const event of events) {
    const isFull = group && group.entries.length + group.messages.length >= eventsAtOnce;
    if (group && (isFull || event.sequence === 2 || ("part" in event && group.messages.length > 0))) {
      yield group;
      group = undefined;
    }
    group ??= { turn: event.turn, entries: [], messages: [] };
    group.turn = event.turn;
    if ("part" in event) group.entries.push(event);
    else group.messages.push(event);
  }
  if (group) yield group;
  return undefined;
}

/** Deletes what an import that failed has stored. */
async function discard(importDeps: Import, runId: string): Promise<void> {
  const { actor: _, ...deps } = importDeps;
  try {
    if (await deps.runs.head(runId)) {
      await deleteRun({ ...deps, companions: noCompanions }, runId);
      await deps.removal.removeRuns([runId]);
    } else await deps.workspace.removeAll(runId);
  } catch (error) {
    log("error", "the run of an import that failed could not be deleted", { runId, error });
  }
}
