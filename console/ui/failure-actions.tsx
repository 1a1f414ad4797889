import { Button } from "./fields/button.tsx";
import { CopyButton } from "./copy-button.tsx";

interface FailureActionsProps {
  /** What the copy button copies: the category, the sentences and the id of the run. */
  text: string;
  category: string;
  organizationId: string;
  /** Why the run cannot be started again. Undefined: it can. */
  blocked: string | undefined;
  onAgain: () => void;
}

/** What a user can do about a failed run. A failure of the model has a link to its settings. */
export function FailureActions({ text, category, organizationId, blocked, onAgain }: FailureActionsProps) {
  return (
    <div class="actions">
      <CopyButton text={text}>Copy error</CopyButton>
      {category.startsWith("model") && (
        <a class="button small" href={`/console/models?organization=${organizationId}`}>
          Edit model
        </a>
      )}
      <Button size="small" icon="again" blocked={blocked} onClick={onAgain}>
        Run again…
      </Button>
    </div>
  );
}
