import { admits, dayOf } from "../../runs/quotas.ts";
import type { QuotaPlace, QuotaScope, QuotaUse, Run, Slot, WaitingRun } from "../../runs/run-types.ts";
import { rows } from "./database/query.ts";
import type { Database } from "./database/sqlite.ts";

/** What counts towards quotas: running and waiting runs by an indexed query, spent dollars in their own table. */
export function localQuotas(db: Database["db"]) {
  const ofQuotas = "status = 'running' AND (quota_of IS NOT NULL OR waiting IS NOT NULL)";
  const countAgent = db.prepare(
    `SELECT total(waiting IS NOT 1) AS running, total(waiting IS 1) AS waiting FROM runs
     WHERE organization_id = ? AND agent_id = ? AND quota_of IS NOT NULL AND ${ofQuotas}`,
  );
  const countOrganization = db.prepare(
    `SELECT count(*) AS running FROM runs
     WHERE organization_id = ? AND quota_of = 'organization' AND waiting IS NOT 1 AND ${ofQuotas}`,
  );
  const waitingWhere = (condition: string) =>
    rows<WaitingRow>(
      db,
      `SELECT id, turn, updated_at AS updatedAt, agent_id AS agentId, organization_id AS organizationId, pauses FROM runs
       WHERE ${condition} AND waiting = 1 AND ${ofQuotas} ORDER BY updated_at, seq`,
    );
  const [waitingOf, allWaiting] = [waitingWhere("organization_id = ?"), waitingWhere("TRUE")];
  const spent = db.prepare(
    `SELECT total(dollars) FILTER (WHERE day = ?1) AS dollars, sum(dollars) / nullif(sum(turns), 0) AS turnDollars FROM spent
     WHERE owner = ?2 AND day >= ?3`,
  );
  const spend = db.prepare(
    `INSERT INTO spent (owner, day, dollars, turns) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET dollars = dollars + excluded.dollars, turns = turns + excluded.turns`,
  );
  const dropOldDays = db.prepare("DELETE FROM spent WHERE owner = ? AND day < ?");

  function use({ agentId, organizationId }: Pick<Run, "agentId" | "organizationId">): Record<QuotaScope, QuotaUse> {
    const [today, yesterday] = lastDays();
    const dollarsOf = (owner: string): Pick<QuotaUse, "dollars" | "turnDollars"> => {
      const { dollars, turnDollars } = spent.get(today, owner, yesterday) ?? {};
      return { dollars: Number(dollars), ...(typeof turnDollars === "number" && { turnDollars }) };
    };
    const agent = countAgent.get(organizationId, agentId);
    const running = Number(countOrganization.get(organizationId)?.["running"]);
    return {
      agent: { running: Number(agent?.["running"]), waiting: Number(agent?.["waiting"]), ...dollarsOf(agentId) },
      organization: { running, waiting: 0, ...dollarsOf(organizationId) },
    };
  }

  return {
    use,

    admit: (slot: Slot, hasWaited: boolean): boolean => admits(slot, use(slot), hasWaited),

    charge({ agentId, organizationId, quotaOf }: QuotaPlace, dollars: number, turns: number): void {
      if (dollars === 0) return;
      const [today, yesterday] = lastDays();
      const owners = quotaOf === "organization" ? [agentId, organizationId] : [agentId];
      for (const owner of owners) {
        spend.run(owner, today, dollars, turns);
        dropOldDays.run(owner, yesterday);
      }
    },

    listWaiting: (organizationId?: string): WaitingRun[] =>
      (organizationId === undefined ? allWaiting.all() : waitingOf.all(organizationId)).map(toWaiting),
  };
}

type WaitingRow = Omit<WaitingRun, "pauses"> & { pauses: number | null };

function toWaiting({ pauses, ...run }: WaitingRow): WaitingRun {
  return pauses === null ? run : { ...run, pauses };
}

function lastDays(): [today: string, yesterday: string] {
  const now = Date.now();
  return [dayOf(now), dayOf(now - 86_400_000)];
}
