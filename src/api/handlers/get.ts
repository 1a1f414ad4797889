import type { Accounts } from "../../accounts/types.ts";
import type { Runs } from "../../runs/ports.ts";
import { readRun } from "../../runs/read-run.ts";
import {
  type ApiEvent,
  type ApiHandler,
  type Authenticated,
  jsonResponse,
  type Middleware,
  operation,
  withCaller,
  type WithRunId,
  withRunId,
} from "./middleware.ts";
import type { StatusResponse } from "../contract.ts";

/** `GET /v1/agents/{agent_id}` (specification section 4.2). `last`: what its home does with the answer. */
export function getHandler(deps: { accounts: Accounts; runs: Runs }, ...last: Middleware<ApiEvent>[]): ApiHandler {
  return operation<Authenticated & WithRunId>(
    async ({ caller, runId }) => {
      const { run, transcript } = await readRun(deps, caller, runId);
      return jsonResponse(200, { agent_id: run.id, loop_status: run.status, transcript } satisfies StatusResponse);
    },
    withCaller(deps),
    withRunId,
    ...last,
  );
}
