import { allFields, type Copy, type Run } from "../fields.ts";
import { newRunId } from "./run-id.ts";

/** What a new run has. Undefined fields are as absent. `id`: absent for a run whose id nobody can derive. */
type Beginning = Pick<Run, "agentId" | "organizationId" | "name" | "status" | "turn" | "sequence"> & {
  [Name in Exclude<keyof Run, "createdAt" | "updatedAt">]?: Run[Name] | undefined;
};

/** A run that is created at a time. `copy`: the run that it begins as a copy of, of which it has the fields that `fields.ts` names. */
export function beginRun(own: Beginning, at: number, copy?: { of: Partial<Run>; as: Copy }): Run {
  const { id = newRunId(at), ...others } = own;
  return { id, createdAt: at, updatedAt: at, ...(copy && copied(copy.of, copy.as)), ...given(others) };
}

/** The fields of a run that a copy has. Of an imported run, it has where that comes from, without what the bundle said. */
function copied(run: Partial<Run>, as: Copy): Partial<Run> {
  const { runId, sha256 } = run.imported ?? {};
  const source = { ...run, ...(runId !== undefined && { imported: { runId, sha256 } }) };
  const names = allFields.filter((field) => field.copied.includes(as)).map(({ name }) => name);
  return given(Object.fromEntries(names.map((name) => [name, source[name]])));
}

/** The fields that are not undefined. */
export function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) found[name] = value;
  return found as never;
}
