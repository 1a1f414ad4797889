import type { FromChild } from "./child.ts";
import type { EngineResult } from "./engine.ts";
import { sandboxLimits } from "./program-limits.ts";
import type { SandboxFile } from "./sandbox-types.ts";

/** More files than a workspace has. */
const maxDeleted = 10_000;

/**
 * Checks the shape and size of a message from a sandbox process: a program that escaped its engine could send anything.
 * Throws an Error for an unexpected message. The result has only the known fields.
 */
export function parseChildMessage(message: unknown): FromChild {
  const { loaded, failed, result } = (message ?? {}) as Record<string, unknown>;
  if (isText(loaded)) return { loaded: loaded as Extract<FromChild, { loaded: unknown }>["loaded"] };
  if (isText(failed)) return { failed };
  if (isResult(result)) {
    const { output, problem, written, deleted, notes, dirty } = result;
    const files = written.map(({ name, content }) => ({ name, content }));
    return {
      result: {
        output,
        written: files,
        notes: [...notes],
        ...(problem !== undefined && { problem }),
        ...(deleted && { deleted: [...deleted] }),
        ...(dirty && { dirty }),
      },
    };
  }
  throw new Error("The sandbox sent an unexpected message.");
}

function isResult(result: unknown): result is EngineResult {
  const { output, problem, written, deleted = [], notes } = (result ?? {}) as Record<string, unknown>;
  if (!isText(output) || !(problem === undefined || isText(problem))) return false;
  if (!Array.isArray(notes) || notes.length > 100 || !notes.every(isText)) return false;
  if (!Array.isArray(deleted) || deleted.length > maxDeleted || !deleted.every(isText)) return false;
  if (!Array.isArray(written) || written.length > sandboxLimits.writtenFiles || !written.every(isFile)) return false;
  return written.reduce((sum, { content }) => sum + content.length, 0) <= sandboxLimits.filesBytes;
}

/** The workspace checks the names of files. */
function isFile(file: unknown): file is SandboxFile {
  const { name, content } = (file ?? {}) as Record<string, unknown>;
  return isText(name) && content instanceof Uint8Array;
}

/** A text of a document may have more characters than a program may print. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= sandboxLimits.filesBytes;
}
