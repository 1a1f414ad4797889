import { along } from "../../accounts/audit.ts";
import { starterOf } from "../../accounts/starter.ts";
import { type FileVersion, sha256Of } from "../../agent/turn/files/manifest.ts";
import { ServiceError } from "../../errors.ts";
import { beginRun } from "../../runs/begin/begin.ts";
import { changedFiles } from "../../runs/events.ts";
import { listFilesAfter } from "../../runs/files/read-files.ts";
import { copyConfigurations } from "../../runs/fork/copy-configurations.ts";
import { appendGroups, groupsOf } from "../../runs/fork/copy-events.ts";
import { incompleteFork } from "../../runs/fork/incomplete-fork.ts";
import { maxLabelLength } from "../../runs/labels.ts";
import type { Stores } from "../../runs/ports.ts";
import { eventsOf } from "../../runs/read/list-events.ts";
import { transitions } from "../../runs/status.ts";
import { startOf } from "../../runs/text.ts";
import type { Run, RunEvent } from "../../runs/run-types.ts";
import { contentLost, type InspectedTurn } from "../cases/inspect-turn.ts";
import { filesFromOutside } from "../cases/recorded-calls.ts";
import { type Replaced, recordRedactor } from "./redact-record.ts";
import { NotRedactable, type Redactor } from "./redactor.ts";
import { caseId, caseIn, labelsOf, type KeptCase, type Refusal, type Suite } from "./suites.ts";

export interface KeepDeps extends Pick<Stores, "runs" | "workspace" | "configurations"> {
  now: () => number;
  actor?: string;
}

/** A suite with the organization of its agent. */
export type OwnedSuite = Suite & Pick<Run, "organizationId">;

/** How a turn is redacted. `unredacted`: names of files that are kept as they are. */
export interface TurnRedaction {
  redactor: Redactor;
  unredacted: string[];
}

/**
 * Copies a recorded turn to a suite: the conversation that it began with, its own record, its files before and after it, the
 * files that came from outside, and what it ran on. Resolves with why it cannot be kept. An interrupted copy stays
 * incomplete: it is in no list, and is replaced when the turn is kept again.
 */
export async function keepTurn(
  deps: KeepDeps,
  suite: OwnedSuite,
  turn: InspectedTurn & { origin: KeptCase["origin"] },
  redaction: TurnRedaction | undefined,
): Promise<KeptCase | Omit<Refusal, "runId" | "turn">> {
  const { configuration, cannotBeTried } = turn;
  if (cannotBeTried !== undefined || !configuration) return { reason: cannotBeTried ?? "Its record is unknown." };
  const { run: source } = turn;
  const events = await eventsUpTo(deps, turn);
  const entries = events.filter((event) => "part" in event);
  const own = entries.filter((entry) => entry.turn === turn.turn);
  const needed = new Set(shasOf([...turn.files, ...filesFromOutside(own, configuration)]));
  const after = await listFilesAfter(deps, source.id, turn.turn, own);
  const others = shasOf([...after.files, ...own.flatMap(changedFiles)]).filter((sha256) => !needed.has(sha256));
  const copy = { id: caseId(suite, turn.origin), needed, others };
  const contents = redaction
    ? await redactContents(
        deps,
        turn,
        { ...copy, files: [...turn.files, ...own.flatMap(changedFiles), ...after.files] },
        redaction,
      )
    : await linkContents(deps, turn, copy);
  if ("reason" in contents) return contents;
  const redacted = redaction && recordRedactor(redaction.redactor, contents.replaced);
  try {
    const uploads = redacted ? await redacted.files(turn.files) : turn.files;
    const kept: RunEvent[] = [];
    for (const event of events) kept.push(redacted ? await redacted.event(event) : event);
    const [name, input] = redaction
      ? [await redaction.redactor.text(source.name), await redaction.redactor.text(turn.input)]
      : [source.name, turn.input];
    const left = redaction?.redactor.leftIn([kept, uploads, name]);
    if (left !== undefined) {
      return {
        reason: `A text that is to be redacted is a part of an id or a hash of its record: ${JSON.stringify(left)}.`,
      };
    }
    await copyConfigurations(deps.configurations, { from: source.agentId, to: suite.id }, entries, source.resultSchema);
    const count = redaction?.redactor.count ?? 0;
    const labels = labelsOf({ origin: turn.origin, input: startOf(input, maxLabelLength), redacted: count });
    return await createCase(deps, suite, { id: copy.id, name, labels, uploads, events: kept, source });
  } catch (error) {
    if (error instanceof NotRedactable) return { reason: error.message };
    throw error;
  }
}

/** The events up to the end of the turn. The files that earlier turns changed are those that the turn began with. */
async function eventsUpTo(deps: KeepDeps, { run, turn }: Pick<InspectedTurn, "run" | "turn">): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of eventsOf(deps, run.id)) {
    if (event.turn > turn) break;
    if ("part" in event && event.part === "result" && event.turn < turn) {
      const { files: _files, manifest: _manifest, fileBytes: _bytes, ...others } = event;
      events.push(others);
    } else events.push(event);
  }
  return events;
}

/** `needed`: contents without which the turn cannot be tried. `others`: those that people see. */
interface CopiedContents {
  id: string;
  needed: Set<string>;
  others: string[];
}

async function linkContents(
  { workspace }: KeepDeps,
  { run, files }: InspectedTurn,
  { id, needed, others }: CopiedContents,
): Promise<{ replaced: Replaced } | { reason: string }> {
  const missing = await workspace.link(run.id, id, [...needed, ...others]);
  const lost = missing.find((sha256) => needed.has(sha256));
  if (lost === undefined) return { replaced: new Map() };
  return { reason: contentLost(files.find(({ sha256 }) => sha256 === lost)?.name ?? lost) };
}

/** Stores the contents as they are after the redaction. A file that is no text is kept as it is, or not at all. */
async function redactContents(
  { workspace }: KeepDeps,
  { run }: InspectedTurn,
  { id, needed, others, files }: CopiedContents & { files: FileVersion[] },
  { redactor, unredacted }: TurnRedaction,
): Promise<{ replaced: Replaced } | { reason: string; unredacted?: string[] }> {
  const replaced: Replaced = new Map();
  const refused = new Map<string, string>();
  const asIs: string[] = [];
  for (const sha256 of [...needed, ...others]) {
    const names = files.filter((file) => file.sha256 === sha256).map(({ name }) => name);
    if (names.length > 0 && names.every((name) => unredacted.includes(name))) {
      asIs.push(sha256);
      continue;
    }
    const content = await workspace.read(run.id, sha256);
    if (!content && needed.has(sha256)) return { reason: contentLost(names[0] ?? sha256) };
    if (!content) continue;
    const text = await redactedText(content, redactor);
    if (typeof text === "object") for (const name of names) refused.set(name, text.reason);
    else {
      const changed = Buffer.from(text);
      const stored = { sha256: sha256Of(changed), content: changed };
      await workspace.write(id, [stored]);
      replaced.set(sha256, { sha256: stored.sha256, size: changed.length });
    }
  }
  if (refused.size > 0) return notRedactable(refused);
  await workspace.link(run.id, id, asIs);
  return { replaced };
}

async function redactedText(content: Uint8Array, redactor: Redactor): Promise<string | { reason: string }> {
  const text = textIn(content);
  if (text === undefined) return { reason: "It is not UTF-8 text." };
  try {
    return await redactor.text(text);
  } catch (error) {
    if (error instanceof NotRedactable) return { reason: error.message };
    throw error;
  }
}

/** Undefined: the content is not UTF-8, or has null characters. */
function textIn(content: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function notRedactable(refused: Map<string, string>): { reason: string; unredacted: string[] } {
  const named = [...refused].map(([name, reason]) => `${JSON.stringify(name)} cannot be redacted: ${reason}`);
  return {
    reason: `${named.join(" ")} Confirm that these files are kept as they are, or do not keep the turn.`,
    unredacted: [...refused.keys()],
  };
}

function shasOf(files: FileVersion[]): string[] {
  return [...new Set(files.flatMap(({ sha256 }) => sha256 ?? []))];
}

interface NewCase extends Pick<Run, "id" | "name" | "labels"> {
  uploads: FileVersion[];
  events: RunEvent[];
  source: Run;
}

async function createCase(
  deps: KeepDeps,
  suite: OwnedSuite,
  { id, name, labels, uploads, events, source }: NewCase,
): Promise<KeptCase> {
  const { runs, now, actor } = deps;
  const createdAt = now();
  const [first, ...groups] = groupsOf(events, createdAt);
  if (!first) throw new Error(`run ${source.id} has no event to keep`);
  const own = {
    id,
    agentId: suite.id,
    organizationId: suite.id,
    name,
    status: transitions.forkCreated.to,
    failure: incompleteFork,
    turn: first.turn,
    sequence: first.messages.length,
    labels,
    startedBy: starterOf(actor),
  };
  const run = beginRun(own, createdAt, { of: source, as: "case" });
  const audited = along(actor, "suite.add", suite.id, createdAt, { organizationId: suite.organizationId });
  await runs.create(run, first.messages, { uploads, ...audited });
  const { turn, ...copied } = await appendGroups(deps, run, groups, { turn: 0, earlier: {} });
  const { from, to } = transitions.recordKept;
  const set = { status: to, turn, updatedAt: createdAt };
  if (!(await runs.change({ runId: id, expect: { status: from, turn }, set, facts: run }))) {
    throw new ServiceError(
      "modified_concurrently",
      `the case ${id} was changed while it was copied; keep the turn again`,
    );
  }
  return caseIn({ ...copied, turn });
}
