import type { EventsDeps } from "../../http/rest/list-events.ts";
import { eventHandler } from "../../operations/record-handlers.ts";
import { findOwnRun } from "../../runs/control/own-run.ts";
import type { Stores } from "../../runs/ports.ts";
import { type RunDescriber, runDescriber } from "../../runs/read/describe-runs.ts";
import type { ExtHandlers } from "../call.ts";
import { programName, wireProgress } from "../wire/run.ts";
import { viewersOf } from "./viewers.ts";

/** The handler of `GET /ext/v1/runs/{run_id}/events`, which a server can have alone. */
export function eventHandlers(
  deps: Omit<EventsDeps, "describer"> & Pick<Stores, "accounts" | "runs" | "configurations">,
  describer: RunDescriber = runDescriber(deps),
): Pick<ExtHandlers, "list_events"> {
  const stream = { wireRun: wireProgress, nameOf: programName, untilEnded: true };
  return eventHandler(
    { ...deps, describer },
    (caller, id) => findOwnRun(deps.runs, caller, id),
    (caller) => ({ ...stream, viewers: viewersOf(caller) }),
  );
}
