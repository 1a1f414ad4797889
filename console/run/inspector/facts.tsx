import type { ComponentChildren } from "preact";

/** A few facts side by side. */
export function Facts({ facts }: { facts: [string, ComponentChildren][] }) {
  return (
    <dl class="run-facts">
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
export function FactTable({ facts }: { facts: [string, ComponentChildren][] }) {
  return (
    <dl class="run-fact-table">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Shown for what the run does not have. */
export const notRecorded = <span class="muted">not recorded</span>;
