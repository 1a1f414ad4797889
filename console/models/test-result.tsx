import { formatDuration, formatNumber } from "../format.ts";
import { Icon } from "../ui/icon.tsx";
import type { ModelTest } from "./model-calls.ts";

interface TestResultProps {
  test: ModelTest | "busy";
  /** The location of the secret that was tested. "": none. */
  secret: string;
}

/** What a test call showed: time and words of the model, or the failure with what to do. */
export function TestResult({ test, secret }: TestResultProps) {
  if (test === "busy") {
    return (
      <p class="test-result" role="status">
        <Icon name="running" class="spin" />
        The model is being called.
      </p>
    );
  }
  if (!test.ok) {
    return (
      <div class="note bad" role="alert">
        <Icon name="warning" />
        <div>
          <p>
            {test.failure && <span class="badge bad outlined">{test.failure.category}</span>} failed after{" "}
            {formatDuration(test.milliseconds)}
          </p>
          <p>
            <strong>{test.failure?.title ?? "The call failed."}</strong>
          </p>
          <p>{test.failure?.remedy}</p>
          {secret !== "" && test.failure?.category.startsWith("model") && (
            <p>
              The secret is <code>{secret}</code>.
            </p>
          )}
        </div>
      </div>
    );
  }
  return (
    <div class="note test-ok" role="status">
      <Icon name="finished" />
      <div>
        <p>
          <strong>{test.model ?? "The model"} answered</strong> in {formatDuration(test.milliseconds)}
          {test.usage && `, ${formatNumber(test.usage.input_tokens + test.usage.output_tokens)} tokens`}
        </p>
        {test.text !== null && <p class="muted">“{test.text}”</p>}
      </div>
    </div>
  );
}
