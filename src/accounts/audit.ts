import type { Along, AuditEntry } from "./account-types.ts";

/** Who does something. See `AuditEntry.actor`. */
export type Actor = string;

/** The audit entry to store along with a record. Empty without an actor: the service itself acts. */
export function along(
  actor: Actor | undefined,
  action: AuditEntry["action"],
  id: string,
  at = Date.now(),
  more: Pick<AuditEntry, "version" | "organizationId"> = {},
): Along {
  return actor === undefined ? {} : { audit: { at, actor, action, id, ...more } };
}
