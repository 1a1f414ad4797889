import { findAgent } from "../../accounts/agents.ts";
import { createKey, setKeyEnabled } from "../../accounts/keys.ts";
import { jsonResponse } from "../../http/handler.ts";
import type { ManageHandlers, Schemas } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { expiryIn } from "../expiry.ts";
import { wireKey } from "../wire/key.ts";

export function keyHandlers({ accounts }: ManageDeps) {
  return {
    async list_keys({ path }) {
      const { id } = await findAgent(accounts, path.agent_id);
      const data = (await accounts.listKeys(id)).map(wireKey);
      return jsonResponse(200, { data, next: null } satisfies Schemas["KeyPage"]);
    },

    async create_key({ path, body, principal: { actor } }) {
      const name = body?.name ?? undefined;
      const expiresAt = expiryIn(body?.expires_at);
      const moreAgents = body?.more_agent_ids;
      const { key, stored } = await createKey(accounts, path.agent_id, { name, moreAgents, expiresAt, actor });
      return jsonResponse(201, { ...wireKey(stored), key } satisfies Schemas["CreatedKey"]);
    },

    async disable_key({ path, principal: { actor } }) {
      return jsonResponse(200, wireKey(await setKeyEnabled(accounts, path.key_id, false, actor)));
    },

    async enable_key({ path, principal: { actor } }) {
      return jsonResponse(200, wireKey(await setKeyEnabled(accounts, path.key_id, true, actor)));
    },
  } satisfies ManageHandlers;
}
