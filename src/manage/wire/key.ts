import type { ApiKey } from "../../accounts/types.ts";
import type { Schemas } from "../call.ts";
import { wire } from "./by-schema.ts";

export function wireKey(key: ApiKey): Schemas["Key"] {
  return wire("Key", { ...key, id: key.hash, moreAgentIds: key.moreAgents ?? [] });
}
