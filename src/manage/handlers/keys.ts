import { findAgent } from "../../accounts/agents/agents.ts";
import type { ApiKey } from "../../accounts/account-types.ts";
import { createKey, setKeyEnabled } from "../../accounts/keys.ts";
import type { ManageHandlers, Schemas } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { expiryIn } from "../../http/rest/parameter-values.ts";
import { wire } from "../wire/by-schema.ts";

export function keyHandlers({ accounts }: ManageDeps) {
  return {
    async list_keys({ path }) {
      const { id } = await findAgent(accounts, path.agent_id);
      const data = (await accounts.listKeys(id)).map(wireKey);
      return { data, next: null };
    },

    async create_key({ path, body, principal: { actor } }) {
      const name = body?.name ?? undefined;
      const expiresAt = expiryIn(body?.expires_at);
      const moreAgents = body?.more_agent_ids;
      const { key, stored } = await createKey(accounts, path.agent_id, { name, moreAgents, expiresAt, actor });
      return { ...wireKey(stored), key };
    },

    disable_key: async ({ path, principal: { actor } }) =>
      wireKey(await setKeyEnabled(accounts, path.key_id, false, actor)),
    enable_key: async ({ path, principal: { actor } }) =>
      wireKey(await setKeyEnabled(accounts, path.key_id, true, actor)),
  } satisfies ManageHandlers;
}

function wireKey(key: ApiKey): Schemas["Key"] {
  return wire("Key", { ...key, id: key.hash, moreAgentIds: key.moreAgents ?? [] });
}
