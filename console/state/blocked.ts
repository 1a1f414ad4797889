import { connection } from "./connection.ts";
import { me } from "./session.ts";

/** Why an action cannot be taken now, such as "stop runs". Undefined: it can. */
export function blocked(action: string): string | undefined {
  if (me.value?.role === "viewer") return `You can read here. Ask an operator to ${action}.`;
  return connection.value.state === "offline" ? "The service does not respond." : undefined;
}
