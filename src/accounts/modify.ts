import { ServiceError } from "../errors.ts";
import type { Revised } from "./account-types.ts";

/** Each attempt fails only if another writer succeeded in between, so five writers at once all succeed. */
const attempts = 5;

/**
 * Reads a record, changes it and replaces it. Repeats on a fresh read when another writer was faster. A `change` that
 * returns the record itself writes nothing. `name`: what the error calls the record.
 */
export async function modify<Stored extends Revised>(
  name: string,
  read: () => Promise<Stored>,
  change: (record: Stored) => Stored,
  replace: (record: Stored) => Promise<Stored | undefined>,
): Promise<Stored> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const before = await read();
    const after = change(before);
    if (after === before) return before;
    const { revision } = before;
    const stored = await replace({ ...after, ...(revision !== undefined && { revision }) });
    if (stored) return stored;
  }
  throw new ServiceError("modified_concurrently", `${name} was modified concurrently; retry`);
}
