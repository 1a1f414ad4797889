import type { Starter } from "../../../accounts/starter.ts";

/** The column `started_by`: kind and id. */
export function encodeStarter(starter: Starter | undefined): string | null {
  return starter ? `${starter.kind} ${starter.id}` : null;
}

/** Empty for a row of an earlier version. */
export function starterIn(column: string | null | undefined): { startedBy?: Starter } {
  if (typeof column !== "string") return {};
  const space = column.indexOf(" ");
  return { startedBy: { kind: column.slice(0, space) as Starter["kind"], id: column.slice(space + 1) } };
}
