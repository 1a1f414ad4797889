import { formatDuration, formatNumber } from "../../../format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { loadLater } from "../../../ui/load-later.tsx";
import { withStyle } from "../../../ui/load-style.ts";
import type { Step } from "../../model/run-model-types.ts";
import { waitedMs, waitOf } from "../../model/waiting.ts";
import { visibleLine } from "../../text/visible.ts";
import { count, hasNotes, stepTitle, type WaitGroup, waitsOf, waitText } from "../../text/words.ts";
import { formatPlace } from "../../selection.ts";
import type { RunView } from "../../view.ts";
import { CallCells } from "./call-cells.tsx";
import { ChangedFiles } from "../changed-files.tsx";
import { ErrorLine } from "./error-line.tsx";
import { LiveOutput } from "./live-output.tsx";
import { Lane } from "../lane.tsx";
import { Thinking } from "./thinking.tsx";

const StepNotes = loadLater(() => import("./step-notes.tsx").then((module) => module.StepNotes));
const Answers = loadLater(() => import("../../waiting/answers.tsx").then((module) => module.Answers));
const GrownText = loadLater(() => withStyle(import("./grown-text.tsx")).then((module) => module.GrownText));

/** Failed calls of a step whose first error line is shown. */
const shownErrors = 2;

/** One model call with its tool calls. */
export function StepRow({ step, view }: { step: Step; view: RunView }) {
  void view.version.value;
  const failed = step.calls.filter((call) => call.failed);
  const hasGrown = view.grown.value.has(formatPlace(step)) || (!step.answered && step.text.length > 0);
  const title = hasGrown ? "" : visibleLine(stepTitle(step, view.running.value));
  return (
    <>
      <span class="run-number">{view.model.turns.length > 1 ? `${step.turn}.${step.step}` : step.step}</span>
      <div class="run-step">
        <Thinking step={step} view={view} />
        {title !== "" && <bdi class="run-title cut">{title}</bdi>}
        {hasGrown && <GrownText step={step} view={view} />}
        {hasNotes(step) && <StepNotes step={step} />}
        {waitsOf(step, view.running.value).map((group) => (
          <Wait group={group} view={view} />
        ))}
        {step.calls.length > 0 && <CallCells step={step} view={view} />}
        {waitOf(step) && <Answers step={step} view={view} />}
        {failed.slice(0, shownErrors).map((call) => (
          <ErrorLine key={call.index} call={call} view={view} />
        ))}
        {step.problems && step.problems.length > 0 && (
          <p class="run-error">The result did not fit: {count(step.problems.length, "problem")}</p>
        )}
        {failed.length > shownErrors && <p class="run-error">+{failed.length - shownErrors} more failed</p>}
        {view.running.value && <LiveOutput step={step} />}
        <ChangedFiles step={step} />
      </div>
      <Lane step={step} view={view} />
      <span class="run-tokens">
        {step.usage &&
          `${step.estimated ? "~" : ""}${formatNumber(step.usage.input_tokens + step.usage.output_tokens)}`}
      </span>
      <Took step={step} view={view} />
    </>
  );
}

/**
 * Failed attempts of the model call, with a countdown while the wait lasts. Of a long message, the end gives way. The message
 * of the attempt that ended the run is in the header.
 */
function Wait({ group, view }: { group: WaitGroup; view: RunView }) {
  const often = waitText(group, formatDuration);
  if (group.last) {
    return (
      <p class="run-wait last">
        <Icon name="warning" />
        <span class="badge bad outlined">{group.category}</span>
        <span>{often === "" ? "" : `${often}. `}The message is above.</span>
      </p>
    );
  }
  const { pending } = group;
  const left = pending?.until === undefined ? undefined : pending.until - view.now.value;
  const next = left === undefined ? "waiting for the next try" : `next try in ${formatDuration(Math.max(0, left))}`;
  const title = visibleLine(group.title.replace(/[.:]\s*$/, ""));
  return (
    <p class="run-wait" title={title}>
      <Icon name="wait" />
      <bdi class="cut">{title}</bdi>
      <span>{[often, ...(pending ? [next] : [])].filter(Boolean).join(", ")}</span>
    </p>
  );
}

function Took({ step, view }: { step: Step; view: RunView }) {
  void view.version.value;
  const milliseconds = tookOf(step, () => view.now.value, view.running.value);
  return <span class="run-took">{milliseconds !== undefined && formatDuration(milliseconds)}</span>;
}

/** From the start of the first attempt to the end of the last call, without the wait for answers. `now`: for a step that still runs. */
function tookOf(step: Step, now: () => number, running: boolean): number | undefined {
  const start = step.attempts[0]?.startedAt ?? step.startedAt;
  if (start === undefined) return undefined;
  const open = !step.answered || step.calls.some(({ result }) => !result);
  const waited = waitedMs(step);
  if (open && running) return Math.max(0, now() - start - waited);
  const ends = [step.endedAt, ...step.calls.map(({ endedAt }) => endedAt), step.attempts.at(-1)?.endedAt];
  const known = ends.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.max(...known) - start - waited;
}

/** "Step 4, 6.4 s, 1 tool call failed" */
export function stepLabel(step: Step, turns: number): string {
  const took = tookOf(step, () => 0, false);
  const failed = step.calls.filter((call) => call.failed).length;
  return [
    turns > 1 ? `Turn ${step.turn}, step ${step.step}` : `Step ${step.step}`,
    ...(took === undefined ? [] : [formatDuration(took)]),
    ...(failed > 0 ? [`${failed} tool call${failed === 1 ? "" : "s"} failed`] : []),
  ].join(", ");
}
