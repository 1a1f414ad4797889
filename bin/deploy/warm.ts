import { unreservable, warmOutsideOf } from "../../lib/concurrency.ts";
import { note, ok, type Result, stop } from "./check.ts";

/** What `warm` is compared with. `own`: what the service reserves already. `runs`: what it will reserve. */
interface WarmFacts {
  warm: number;
  limit: number;
  unreserved: number;
  own: number;
  runs: number;
  isFirst: boolean;
}

/** Lambda takes warm environments from the reservation of their function, or from what nobody has reserved, less 100. */
export function warmCheck({ warm, limit, unreserved, own, runs, isFirst }: WarmFacts): Result {
  const needed = warmOutsideOf(runs, warm);
  const found = `warm ${warm} takes ${needed} of ${limit} concurrent executions`;
  if (needed <= unreserved + own - runs - unreservable) return ok(found);
  const reserved = `${unreserved + own - runs} are unreserved, and Lambda keeps ${unreservable} of them`;
  if (!isFirst && needed <= limit - runs - unreservable) {
    return note(
      `${found}; ${reserved}; if the service already has this many, nothing changes; otherwise AWS may reject more`,
    );
  }
  return stop(
    `${found}; ${reserved}; set warm to 0, or request a higher quota: aws service-quotas ` +
      `request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${desired(needed, limit)}`,
  );
}

/** A quota that has room: AWS's usual one, or a larger one. */
function desired(needed: number, limit: number): number {
  return Math.max(1_000, limit + needed);
}
