import { badRequest } from "./mcp-errors.ts";
import { type Named, namedWith } from "./tool-names.ts";

/** What the address of the endpoint says: how tools are named, and which agent of the key is meant. Absent: the first one. */
export interface Address {
  named: Named;
  agent?: string;
}

const parameters = ["prefix", "agent"] as const;
const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reads `?prefix=sales&agent=ID`. With a prefix, all tools are named `sales_start_run` and so on, so that a client can use several
 * agents. Throws for other values and for other parameters, which would have no effect.
 */
export function addressIn(query: URLSearchParams): Address {
  const unknown = [...query.keys()].find((name) => !parameters.some((each) => each === name));
  const twice = parameters.find((name) => query.getAll(name).length > 1);
  if (unknown !== undefined || twice !== undefined) {
    const what = unknown === undefined ? `${twice} twice` : `the parameter ${JSON.stringify(unknown)}`;
    throw badRequest(
      "invalid_request",
      `Invalid Request: the address has ${what}; this endpoint accepts prefix and agent, each once`,
    );
  }
  const agent = query.get("agent");
  if (agent !== null && !isUuid.test(agent)) {
    const message = `Invalid Request: agent is ${JSON.stringify(agent)}; expected the id of an agent of the key`;
    throw badRequest("invalid_request", message);
  }
  const named = namedWith(query.get("prefix") ?? undefined);
  return { named, ...(agent !== null && { agent: agent.toLowerCase() }) };
}
