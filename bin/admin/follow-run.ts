import { setTimeout as sleep } from "node:timers/promises";
import { findRun } from "../../src/runs/read/find-run.ts";
import { eventsOf } from "../../src/runs/read/list-events.ts";
import type { Runs, Stores } from "../../src/runs/ports.ts";
import type { Run, RunEvent } from "../../src/runs/types.ts";
import { answerAdvice } from "./open-calls.ts";
import { answererOf, eventOutput } from "./format-event.ts";
import { printableLine } from "../printable.ts";
import type { Output } from "./output.ts";

const pollMilliseconds = 500;

/**
 * Yields each event of a run once, until the run is idle. `after`: number of the last event that is not wanted. Undefined:
 * all, with those of earlier versions, which have no number. Rejects with an AbortError after `signal`.
 */
export async function* followEvents(
  runs: Runs,
  id: string,
  { after, signal }: { after?: number | undefined; signal?: AbortSignal } = {},
): AsyncGenerator<RunEvent> {
  for (let last = after; ;) {
    const status = await runs.status(id); // before the events, so that the last ones of an ended run are not missed
    for await (const event of eventsOf({ runs }, id, last)) {
      last = event.sequence;
      yield event;
    }
    last ??= 0;
    if (status !== "running") return;
    await sleep(pollMilliseconds, undefined, { signal });
  }
}

/** Yields each event of a run, and at the end the status of the idle run. */
export async function* followRun(
  { runs, accounts }: Pick<Stores, "runs" | "accounts">,
  id: string,
  after?: number,
): AsyncGenerator<Output> {
  for await (const event of followEvents(runs, id, { after })) {
    const { text, json } = eventOutput(event, await answererOf(accounts, event));
    yield { text: "part" in event && event.part === "asked" ? `${text}\n${answerAdvice(id, event)}` : text, json };
  }
  yield idleOutput((await findRun(runs, id)).run);
}

function idleOutput({ status, failure }: Run): Output {
  const text = failure ? `${status}: ${failureText(failure)}` : status;
  return { text: printableLine(text), json: { event: "run-idle", status, failure } };
}

/** Title and remedy as sentences. A title that ends with a server's message may lack its period. */
export function failureText({ title, remedy }: NonNullable<Run["failure"]>): string {
  return `${title.replace(/[^.!?…]$/, "$&.")} ${remedy}`;
}
