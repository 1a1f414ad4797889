import type { ForkedEvent } from "../../api/types.ts";

/** The step of the origin up to which it was copied: of 0, its first step shows the input. */
function originUrl({ turn, step, from_run: from }: ForkedEvent): string {
  return `/console/runs/${from}?at=${turn}.${step || 1}`;
}

/** Where the run of the page was forked, in its header. */
export function Origin({ forked }: { forked: ForkedEvent }) {
  const { turn, step, from_run: from } = forked;
  const place = step === 0 ? `the input of turn ${turn}` : `step ${turn}.${step}`;
  return (
    <a class="badge" href={originUrl(forked)} title={`Show ${place} of run ${from}, which this run was forked from`}>
      fork of …{from.slice(-8)}, {place}
    </a>
  );
}
