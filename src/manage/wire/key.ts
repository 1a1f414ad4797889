import type { ApiKey } from "../../accounts/types.ts";
import type { Schemas } from "../call.ts";
import { timeOf } from "../../http/rest/wire/time.ts";

export function wireKey({
  hash,
  agentId,
  moreAgents = [],
  hint,
  name,
  enabled,
  createdAt,
  expiresAt,
  lastUsedAt,
}: ApiKey): Schemas["Key"] {
  return {
    id: hash,
    agent_id: agentId,
    more_agent_ids: moreAgents,
    hint,
    name: name ?? null,
    enabled,
    created_at: timeOf(createdAt),
    expires_at: timeOf(expiresAt),
    last_used_at: timeOf(lastUsedAt),
  };
}
