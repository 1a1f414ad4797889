import { metadataOf } from "../../../agent/turn/files/manifest.ts";
import type { FileMetadata, StoredFile } from "../../../sandbox/linux/linux-types.ts";
import type { ProgramAnswer, ProgramUnavailable } from "./program-messages.ts";

/**
 * The answer of a function, which a program may have taken over: only what it is allowed to say is taken from it. Throws an
 * Error that names the wrong field. Names of files are checked where they are written.
 */
export function parseAnswer(answer: unknown): ProgramAnswer | ProgramUnavailable {
  const given = objectOf(answer, "the answer");
  if (given["unavailable"] !== undefined) return { unavailable: textOf(given["unavailable"], "unavailable") };
  const { output, exitCode, problem, isPartial } = given;
  if (exitCode !== undefined && !isSize(exitCode)) throw wrong("exitCode");
  return {
    changed: listOf(given["changed"], "changed").map(storedFile),
    deleted: listOf(given["deleted"], "deleted").map((name) => textOf(name, "deleted")),
    notes: listOf(given["notes"], "notes").map((text) => textOf(text, "notes")),
    ...(output !== undefined && { output: textOf(output, "output") }),
    ...(exitCode !== undefined && { exitCode }),
    ...(isPartial === true && { isPartial }),
    ...(problem !== undefined && { problem: textOf(problem, "problem") }),
  };
}

function storedFile(value: unknown): StoredFile {
  const { name, size, sha256, mtime, mode, kind, linked } = objectOf(value, "changed");
  if (!isSize(size)) throw wrong("changed.size");
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) throw wrong("changed.sha256");
  if (mtime !== undefined && !Number.isFinite(mtime)) throw wrong("changed.mtime");
  if (mode !== undefined && !(isSize(mode) && mode <= 0o777)) throw wrong("changed.mode");
  if (kind !== undefined && kind !== "link" && kind !== "folder") throw wrong("changed.kind");
  if (linked !== undefined && !isSize(linked)) throw wrong("changed.linked");
  const metadata = { mtime, mode, kind, linked } as FileMetadata;
  return { name: textOf(name, "changed.name"), size, sha256, ...metadataOf(metadata) };
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function objectOf(value: unknown, field: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw wrong(field);
  return value as Record<string, unknown>;
}

function listOf(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value)) throw wrong(field);
  return value;
}

function textOf(value: unknown, field: string): string {
  if (typeof value !== "string") throw wrong(field);
  return value;
}

function wrong(field: string): Error {
  return new Error(`the sandbox function gave no valid ${field}`);
}
