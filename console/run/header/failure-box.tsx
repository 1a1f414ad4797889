import { blocked } from "../../state/blocked.ts";
import { FailureActions } from "../../ui/failure-actions.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { RunDetail } from "../api.ts";
import { visible, visibleLine } from "../text/visible.ts";

interface Props {
  detail: RunDetail;
  failure: NonNullable<RunDetail["failure"]>;
  /** Undefined: the reader cannot do anything about it. */
  onAgain: (() => void) | undefined;
}

/** Why the run failed, and what to do about it. Other places of the page name the category, and refer to this. */
export function FailureBox({ detail, failure, onAgain }: Props) {
  const { category, title, remedy } = failure;
  return (
    <div class="note bad run-failure" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <span class="badge bad outlined">{category}</span>{" "}
          <strong>
            <bdi>{visibleLine(title, 600)}</bdi>
          </strong>
        </p>
        <p>
          <bdi>{visibleLine(remedy, 600)}</bdi>
        </p>
      </div>
      {onAgain && (
        <FailureActions
          text={visible(`${category}: ${title}\n${remedy}\nrun ${detail.id}`)}
          category={category}
          organizationId={detail.organization_id}
          blocked={blocked("start runs")}
          onAgain={onAgain}
        />
      )}
    </div>
  );
}
