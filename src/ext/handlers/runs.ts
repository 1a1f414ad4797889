import { forAgent, type Principal } from "../../accounts/authenticate.ts";
import { agentsOf } from "../../accounts/key-agents.ts";
import { WithHeaders } from "../../http/rest/call.ts";
import { wirePart } from "../../http/rest/wire/run.ts";
import { sharedRunHandlers } from "../../operations/run-handlers.ts";
import type { CreateRunDeps } from "../../runs/begin/create-run.ts";
import { findOwnRun, lastOutput } from "../../runs/control/own-run.ts";
import type { RunDescriber } from "../../runs/read/describe-runs.ts";
import { createRunToken } from "../../runs/control/run-tokens.ts";
import type { Run } from "../../runs/run-types.ts";
import type { ExtHandlers, Schemas } from "../call.ts";
import type { ExtDeps } from "../deps.ts";
import { wireOwnDetail, wireOwnRun } from "../wire/run.ts";
import { viewersOf } from "./viewers.ts";

/** Runs of the caller's agents. The tools of the MCP endpoint call these handlers, too. */
export function extRunHandlers(deps: CreateRunDeps & Partial<ExtDeps>, describer: RunDescriber) {
  const { runs } = deps;
  const find = (caller: Principal, id: string): Promise<Run> => findOwnRun(runs, caller, id);
  const viewOf = async (run: Run): Promise<Schemas["Run"]> => wireOwnRun(await describer.describe(run));

  const { create, ...shared } = sharedRunHandlers<Principal, Schemas>(
    { ...deps, describer },
    {
      find,
      ownersOf: (caller, { template_id }) => ({
        agents: agentsOf(template_id === undefined ? caller : forAgent(caller, template_id)),
        imported: false,
      }),
      listAccounts: deps.accounts,
      viewOf,
      pageOf: (found) => ({ data: found.runs.map(wireOwnRun), next: found.cursor ?? null }),
      async detailOf(run) {
        const [detail, output] = await Promise.all([describer.detail(run), lastOutput(runs, run)]);
        return { ...detail.holds, json: wireOwnDetail(detail, output) };
      },
      viewersOf,
    },
  );

  return {
    ...shared,

    async create_run(call) {
      const { template_id, token: asked } = call.body;
      const { json, headers } = await create(call, forAgent(call.principal, template_id));
      const token = asked && wirePart("CreatedRunToken", await createRunToken(deps, json.id, asked.expires_in));
      return new WithHeaders<Schemas["CreatedRun"]>({ ...json, token: token ?? null }, headers);
    },
  } satisfies ExtHandlers;
}
