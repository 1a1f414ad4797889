import { connection } from "../api/connection.ts";
import { isOperator } from "./roles.ts";
import { me } from "../api/session.ts";

/**
 * Why a person may not take an action, such as "stop runs". Undefined: they may. `organizationId`: whose things it changes.
 * Null: those of the service itself. Undefined: of any organization. It makes fields read-only; an interrupted connection does
 * not, because it can be back before the next key.
 */
export function forbidden(action: string, organizationId?: string | null): string | undefined {
  const mayAct = !me.value || isOperator(me.value, organizationId);
  return mayAct ? undefined : `You can read here. Ask an operator to ${action}.`;
}

/** Why an action cannot be taken now: it is forbidden, or the service does not respond. */
export function blocked(action: string, organizationId?: string | null): string | undefined {
  const reason = forbidden(action, organizationId);
  if (reason !== undefined) return reason;
  return connection.value.state === "live" ? undefined : "The service does not respond.";
}
