import { addUsage, noUsage, type Usage } from "../../agent/turn/turn-limits.ts";
import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import { canonicalJson } from "../../json.ts";
import { allFields, type BundledRun, type Run } from "../fields.ts";
import type { RunEvent, RunState } from "../run-types.ts";

// The files of a bundle. Each has one possible text for what it says, so that a bundle is the same wherever the run is exported.

export const bundleFormat = "agent-run-service/run-bundle";
/** Version of the files. A later one can only be read by later releases. */
export const bundleVersion = 1;

export const runMember = "run.json";
export const manifestName = "manifest.json";

/** Characters of JSON in one file of events. */
export const partLength = 4_000_000;

export function eventsName(part: number): string {
  return `events-${String(part).padStart(6, "0")}.ndjson`;
}

export function configurationMember(hash: string): string {
  return `configurations/${hash}.json`;
}

export function contentMember(sha256: string): string {
  return `contents/${sha256}`;
}

/** The first file of a bundle. `runId`: of the run that was recorded. */
export interface RunRecord extends Pick<RunState, "summary" | "uploads" | "files"> {
  runId: string;
  run: BundledRun;
}

/** The text of `run.json`. */
export function runText({ runId, run, uploads = [], files, summary }: RunRecord): string {
  const record: RunRecord = {
    runId,
    run: bundled(run),
    ...(uploads.length > 0 && { uploads }),
    ...(files && { files }),
    ...(summary && { summary }),
  };
  return `${canonicalJson(record)}\n`;
}

/** The fields of a run that a bundle has. Empty lists and objects are left out. */
function bundled(run: BundledRun & Partial<Run>): BundledRun {
  const entries = allFields.flatMap(({ name, kind, bundled: isBundled }) => {
    const value = run[name];
    if (!isBundled || value === undefined || (typeof value === "object" && Object.keys(value).length === 0)) return [];
    // Earlier releases stored fewer sums.
    return [[name, kind === "usage" ? addUsage(noUsage, value as Usage) : value] as const];
  });
  return Object.fromEntries(entries) as unknown as BundledRun;
}

/**
 * An event as a line. Who sent an input or answered a call is left out: that is an operator or a key of the service. The keys of
 * an entry are sorted, but not those of what it contains: a request is rebuilt with the order of the model's arguments.
 */
export function eventLine(event: RunEvent): string {
  if (!("part" in event)) {
    const { startedBy: _, ...message } = event;
    return `${canonicalJson(message)}\n`;
  }
  const { by: _, ...entry } = event as typeof event & { by?: unknown };
  const sorted = Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted))}\n`;
}

/** The hashes of the configurations that an event names. */
export function configurationsOf(event: RunEvent): string[] {
  if (!("part" in event)) return [];
  const named = [
    event.configuration,
    event.part === "failed" ? event.tried : undefined,
    event.part === "forked" ? event.settings : undefined,
  ];
  return named.filter((hash) => hash !== undefined);
}

/** The files that an event names: those that a call changed, those of a person's answer, and those that a model was shown. */
export function filesNamedBy(event: RunEvent): { name: string; sha256?: string; size?: number }[] {
  if (!("part" in event)) return [];
  if (event.part === "result") return [...(event.files ?? []), ...(event.result.attachments ?? [])];
  return event.part === "answered" && "files" in event.answer ? (event.answer.files ?? []) : [];
}

/** The contents that a file has and had. */
export function contentsOf({ sha256, old = [] }: Pick<FileVersion, "sha256"> & { old?: string[] }): string[] {
  return sha256 === undefined ? old : [sha256, ...old];
}
