import type { ComponentProps } from "preact";
import { formatDuration } from "../../format.ts";
import type { Asked, Call, Step } from "../model/run-model-types.ts";
import { begunAt } from "../model/waiting.ts";
import { toolLabel } from "../text/tool-name.tsx";
import { visibleLine } from "../text/visible.ts";
import type { RunView } from "../view.ts";
import { answerText } from "../waiting/ask-words.ts";
import { Facts, notRecorded, StartedAt } from "./facts.tsx";

/** When a tool call ran, with what, and what it changed. */
export function CallFacts({ call, step, view }: { call: Call; step: Step; view: RunView }) {
  void view.version.value;
  const waits = view.waiting.value && call.asked !== undefined && !call.result;
  const startedAt = waits ? call.asked?.at : (call.startedAt ?? (call.result ? undefined : begunAt(call, step)));
  const others = step.calls.filter((each) => each !== call);
  return (
    <>
      <Facts
        facts={[
          [waits ? "Asked" : "Started", <StartedAt at={startedAt} />],
          ...(call.asked ? [["Answer", <AskedFact asked={call.asked} />] as Fact] : []),
          ["Took", <Took call={call} startedAt={startedAt} view={view} />],
          ["In parallel with", others.length === 0 ? "none" : <bdi>{namesOf(others)}</bdi>],
          ["Changed files", call.files.length === 0 ? call.result ? "none" : "—" : <bdi>{filesOf(call)}</bdi>],
        ]}
      />
      {call.interrupted === "repeated" && (
        <p class="run-callout">The service was interrupted during this call. It may have run twice.</p>
      )}
      {call.interrupted === "unknown" && (
        <p class="run-callout">The service was interrupted during this call. Whether it took effect is unknown.</p>
      )}
    </>
  );
}

type Fact = ComponentProps<typeof Facts>["facts"][number];

/** What the call waited for, and the answer. */
function AskedFact({ asked: { at, answer } }: { asked: Asked }) {
  if (!answer) return <>none yet</>;
  const waited = at === undefined || answer.at === undefined ? "" : ` after ${formatDuration(answer.at - at)}`;
  return <>{answerText(answer, waited)}</>;
}

function Took({ call, startedAt, view }: { call: Call; startedAt: number | undefined; view: RunView }) {
  void view.version.value;
  if (call.milliseconds !== undefined) return <>{formatDuration(call.milliseconds)}</>;
  if (view.waiting.value && call.asked && !call.result) return <>has not run</>;
  if (call.result || startedAt === undefined) return notRecorded;
  if (!view.running.value) return <>not finished</>;
  return <>{formatDuration(Math.max(0, view.now.value - startedAt))} so far</>;
}

function namesOf(calls: Call[]): string {
  const names = calls.slice(0, 2).map(({ name }) => toolLabel(name));
  return calls.length > 2 ? `${names.join(", ")} and ${calls.length - 2} more` : names.join(", ");
}

function filesOf({ files }: Call): string {
  const names = files.slice(0, 3).map(({ name, deleted }) => `${visibleLine(name, 60)}${deleted ? " (deleted)" : ""}`);
  return files.length > 3 ? `${names.join(", ")} and ${files.length - 3} more` : names.join(", ");
}
