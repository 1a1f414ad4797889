import type { Owners } from "../../async/scheduler.ts";
import type { Principal } from "../../accounts/authenticate.ts";
import { type EventsDeps, listEvents, type RunStream } from "../../http/rest/list-events.ts";
import { findOwnRun } from "../../runs/own-run.ts";
import type { Stores } from "../../runs/ports.ts";
import { runDescriber } from "../../runs/read/describe-runs.ts";
import type { ExtHandlers } from "../call.ts";
import { programName, wireProgress } from "../wire/run.ts";

/** What a server needs that only answers with the events of runs. */
export type EventHandlersDeps = Omit<EventsDeps, "describer"> & Pick<Stores, "accounts" | "runs" | "configurations">;

/** The handler of `GET /ext/v1/runs/{run_id}/events`, for a server that has no other. */
export function eventHandlers(deps: EventHandlersDeps): Pick<ExtHandlers, "list_events"> {
  const describer = runDescriber(deps);
  return {
    async list_events(call) {
      const { principal, path } = call;
      const run = await findOwnRun(deps.runs, principal, path.run_id);
      return listEvents({ ...deps, describer }, run, call, streamOf(principal));
    },
  };
}

/** How the extension API streams a run. */
export function streamOf(caller: Principal): RunStream {
  return { viewers: holdersOf(caller), wireRun: wireProgress, nameOf: programName, untilEnded: true };
}

/** Whose open streams are counted: those of a key's first agent. Readers of one run take none of its agent's. */
function holdersOf({ organizationId, agentId, onlyRun }: Principal): Owners {
  return [organizationId, onlyRun ?? agentId];
}
