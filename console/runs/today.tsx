import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { poll } from "../api/poll.ts";
import type { Organization } from "../api/types.ts";
import { formatDollars } from "../format.ts";
import { type Cost, costOf, costText, sumOfCosts } from "../state/cost.ts";

const refreshMs = 30_000;

/** What the runs of today (UTC) cost, against the organization's limit per day. */
export function Today({ organization }: { organization: Organization }) {
  const { id, max_dollars_per_day: limit } = organization;
  const [cost, setCost] = useState<Cost>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    void poll(refreshMs, signal, async () => {
      const since = new Date().toISOString().slice(0, 10);
      const query = { organization_id: id, since };
      const { data } = await call("get_usage", query, { signal });
      setCost(sumOfCosts(data.map(costOf)));
    });
    return () => controller.abort();
  }, [id]);
  if (cost === undefined || limit === null) return null;
  return (
    <span class="muted">
      Today {costText(cost, 2)} of {formatDollars(limit, 2)}
    </span>
  );
}
