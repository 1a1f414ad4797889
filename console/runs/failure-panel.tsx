import type { Run } from "../api/types.ts";
import { blocked } from "../state/blocked.ts";
import { openStart } from "../state/dialogs.ts";
import { FailureActions } from "../ui/failure-actions.tsx";

/** Why a run failed, and what to do about it. */
export function FailurePanel({ run }: { run: Run }) {
  const { failure } = run;
  if (!failure) return <p class="note">The cause was not recorded.</p>;
  const { category, title, remedy } = failure;
  const end = title.indexOf(": ") + 1 || title.length; // what failed; the provider's own words follow
  const before =
    run.usage.steps === 0 ? "before the first step, nothing was charged" : `after ${run.usage.steps} steps`;
  return (
    <div class="note bad failure">
      <div>
        <p>
          <code class="badge bad outlined">{category}</code> <span class="muted">{before}</span>
        </p>
        <p>
          <b>{title.slice(0, end)}</b>
          {title.slice(end)}
        </p>
        <p>{remedy}</p>
      </div>
      <FailureActions
        text={`${category}: ${title}\n${remedy}\nrun ${run.id}`}
        category={category}
        organizationId={run.organization_id}
        blocked={blocked("run it again")}
        onAgain={() => openStart({ from: run.id })}
      />
    </div>
  );
}
