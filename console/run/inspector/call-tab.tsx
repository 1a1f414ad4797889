import type { RunApi, RunDetail } from "../api.ts";
import type { RunView } from "../view.ts";
import { ForkButton } from "../fork/fork-button.tsx";
import { CallArguments } from "./call-arguments.tsx";
import { CallEnvironment } from "./call-environment.tsx";
import { CallFacts } from "./call-facts.tsx";
import { CallResult } from "./call-result.tsx";
import { ModelCall } from "./request/model-call.tsx";
import { RequestDifference } from "./request/request-difference.tsx";
import { SentToProvider } from "./request/sent-request.tsx";

/** The selected call: a tool call with the model call that asked for it, or a model call. */
export function CallTab({ view, control, detail }: { view: RunView; control: RunApi | undefined; detail: RunDetail }) {
  void view.version.value;
  const selected = view.selected.value;
  if (!selected) return <p class="run-empty">No step yet. What the agent does appears here.</p>;
  const { step, call } = selected;
  return (
    <>
      {call && (
        <>
          <CallFacts call={call} step={step} view={view} />
          <CallEnvironment call={call} detail={detail} />
          <CallArguments key={`a ${call.turn}.${call.step}.${call.index}`} call={call} step={step} view={view} />
          <CallResult key={`r ${call.turn}.${call.step}.${call.index}`} call={call} view={view} />
        </>
      )}
      <ModelCall
        key={`m ${step.turn}.${step.step}`}
        step={step}
        view={view}
        heading={call && "Model call that asked for it"}
      />
      {control && step.answered && (
        <RequestDifference key={`d ${step.turn}.${step.step}`} step={step} view={view} api={control} />
      )}
      {control && (step.answered || step.attempts.length > 0) && (
        <SentToProvider key={`s ${step.turn}.${step.step}`} step={step} api={control} />
      )}
      {control && step.answered && (
        <ForkButton key={`f ${step.turn}.${step.step}`} step={step} view={view} detail={detail} />
      )}
    </>
  );
}
