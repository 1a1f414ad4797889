import type { ComponentChildren } from "preact";
import { formatClockMs, formatDateTime } from "../../format.ts";

interface FactsProps {
  facts: [string, ComponentChildren][];
  class?: string;
}

/** A few facts side by side. */
export function Facts({ facts, class: kind = "run-facts" }: FactsProps) {
  return (
    <dl class={kind}>
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Facts below each other, in a box. */
export function FactTable({ facts }: FactsProps) {
  return <Facts class="run-fact-table" facts={facts} />;
}

/** When something began. Milliseconds since 1970. */
export function StartedAt({ at }: { at: number | undefined }) {
  if (at === undefined) return notRecorded;
  return <time title={formatDateTime(new Date(at).toISOString())}>{formatClockMs(at)}</time>;
}

/** Shown for what the run does not have. */
export const notRecorded = <span class="muted">not recorded</span>;
