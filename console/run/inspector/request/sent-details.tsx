import type { ComponentChildren } from "preact";
import { formatNumber } from "../../../format.ts";
import { Code } from "../../../ui/code.tsx";
import type { SentAttempt, SentRequest } from "../../api.ts";
import { visible, visibleLine } from "../../text/visible.ts";
import { indented } from "../shown-arguments.ts";
import { FactTable, notRecorded } from "../facts.tsx";

/** An HTTP request with its attempts, and what the provider says about its response. */
export function Sent({ sent: { url, body, exact, attempts, response } }: { sent: SentRequest }) {
  return (
    <div class="run-difference">
      <p>{exactness(exact)}</p>
      <FactTable facts={[["Address", <bdi class="mono">{visibleLine(url, 200)}</bdi>], ...attempts.map(attemptFact)]} />
      <details class="run-details">
        <summary>Body, {formatNumber(new TextEncoder().encode(body).length)} bytes</summary>
        <Code title="JSON" text={visible(indented(body))} copied={body} />
      </details>
      <h4>Response</h4>
      {response ? (
        <>
          <FactTable
            facts={[
              ["Id", told(response.id)],
              ["Model", told(response.model)],
              ["Stop reason", told(response.finish_reason)],
            ]}
          />
          {response.usage && <Code title="Usage" text={visible(JSON.stringify(response.usage, undefined, 2))} />}
        </>
      ) : (
        <p class="muted">No complete response is recorded.</p>
      )}
    </div>
  );
}

function exactness(exact: SentRequest["exact"]): string {
  if (exact === null)
    return "Rebuilt from the record. An earlier release recorded the step without a hash to compare with.";
  return exact
    ? "Byte for byte as it was sent."
    : "Rebuilt from the record. It differs from what was sent: an attached file is no longer kept, or another release made it.";
}

/** An HTTP request of the step: what came back, and how it differs from the first choice. */
function attemptFact(attempt: SentAttempt, index: number): [string, ComponentChildren] {
  const { status, request_id, bytes, failure, compat } = attempt;
  const compatSettings = Object.entries(compat).map(([name, value]) => `${name}: ${String(value)}`);
  const form = [
    ...compatSettings,
    ...(attempt.calls_as_text ? ["tool calls as text"] : []),
    ...(attempt.without_files ? ["without files"] : []),
    ...(attempt.without_cache_points ? ["without cache points"] : []),
  ];
  const outcome = status === null ? "no response" : `HTTP ${status}`;
  return [
    `Request ${index + 1}`,
    <>
      <div>
        {[outcome, `${formatNumber(bytes)} bytes`, ...form].join(", ")}
        {request_id !== null && (
          <>
            , id <bdi class="mono">{visibleLine(request_id, 80)}</bdi>
          </>
        )}
      </div>
      {failure !== null && <div class="muted">{visibleLine(failure, 300)}</div>}
    </>,
  ];
}

function told(text: string | null): ComponentChildren {
  return text === null ? notRecorded : <bdi class="mono">{visibleLine(text, 120)}</bdi>;
}
