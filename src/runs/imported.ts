import { ServiceError } from "../errors.ts";
import type { ImportOrigin, Run } from "./run-types.ts";

/** The fields of a run that come from where it was imported. Empty: it was not. */
export function fieldsOf(imported: ImportOrigin | undefined): Pick<Run, "imported" | "used" | "model" | "tools"> {
  if (!imported) return {};
  const { used, model, tools } = imported.run ?? {};
  return { imported, ...(used && { used }), ...(model !== undefined && { model }), ...(tools && { tools }) };
}

/** Rejects for an imported run: it stays as it was recorded. */
export function requireNotImported({ id, imported }: Pick<Run, "id" | "imported">): void {
  if (!imported) return;
  const message = `run ${id} was imported and is read-only; fork it to continue it, or run its input again`;
  throw new ServiceError("run_imported", message);
}
