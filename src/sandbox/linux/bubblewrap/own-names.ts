import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";

/** Names that this process has given. */
const given = new Set<string>();

/** A name for something outside of the data directory, such as a control group. It tells the next service whose it was. */
export function ownName(prefix: string): string {
  const name = `${prefix}-${process.pid}-${randomBytes(4).toString("hex")}`;
  given.add(name);
  return name;
}

/**
 * Those of `names` that a service left which has ended without a word. Its process id may be that of another process by now, also
 * of this one: in a container, a service often has the same id after each start. Names of version 0.2 end with the id.
 */
export function leftNames(prefix: string, names: string[]): string[] {
  return names.filter((name) => {
    if (!name.startsWith(`${prefix}-`) || given.has(name)) return false;
    const [, pid] = /^(\d+)(?:-[\da-f]{8})?$/.exec(name.slice(prefix.length + 1)) ?? [];
    return pid !== undefined && (Number(pid) === process.pid || !existsSync(`/proc/${pid}`));
  });
}
