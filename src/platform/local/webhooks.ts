import type { Accounts, Webhook } from "../../accounts/types.ts";
import { webhookState, webhookView } from "../../accounts/endpoints.ts";
import { auditWriter } from "./audit.ts";
import type { Database } from "./database/sqlite.ts";

/** The webhooks of agents. */
export function localWebhooks({
  db,
  write,
  kept,
}: Database): Pick<Accounts, "findWebhook" | "findWebhookView" | "findWebhookState" | "replaceWebhook"> {
  const select = db.prepare("SELECT body FROM webhooks WHERE agent_id = ?");
  const insert = db.prepare("INSERT OR IGNORE INTO webhooks (body, agent_id) VALUES (?, ?)");
  const update = db.prepare("UPDATE webhooks SET body = ? WHERE agent_id = ? AND body ->> 'revision' = ?");
  const insertAudit = auditWriter(db);

  const find = kept((agentId) => {
    const row = select.get(agentId);
    return row && (JSON.parse(String(row["body"])) as Webhook);
  });

  return {
    findWebhook: async (agentId) => find(agentId),

    async findWebhookView(agentId) {
      const found = find(agentId);
      return found && webhookView(found);
    },

    async findWebhookState(agentId) {
      const found = find(agentId);
      return found && webhookState(found);
    },

    replaceWebhook: (webhook, { audit } = {}) =>
      write(() => {
        const { agentId, revision } = webhook;
        const next = { ...webhook, revision: (revision ?? 0) + 1 };
        const body = JSON.stringify(next);
        const { changes } = revision === undefined ? insert.run(body, agentId) : update.run(body, agentId, revision);
        if (changes === 0) return undefined;
        if (audit) insertAudit(audit);
        return next;
      }),
  };
}
