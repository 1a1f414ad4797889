import { connection } from "../api/connection.ts";
import { isOperator } from "./roles.ts";
import { me } from "../api/session.ts";

/**
 * Why an action cannot be taken now, such as "stop runs". Undefined: it can. `organizationId`: whose things it changes. Null:
 * those of the service itself. Undefined: of any organization.
 */
export function blocked(action: string, organizationId?: string | null): string | undefined {
  if (me.value && !isOperator(me.value, organizationId)) return `You can read here. Ask an operator to ${action}.`;
  return connection.value.state === "live" ? undefined : "The service does not respond.";
}
