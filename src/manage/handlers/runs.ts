import { limitedTo } from "../../accounts/access.ts";
import { findAgent } from "../../accounts/agents.ts";
import { jsonResponse } from "../../http/handler.ts";
import { charged, searchIn, timeIn } from "../../http/rest/parameter-values.ts";
import { base64Uploads } from "../../http/validation/base64-files.ts";
import { ServiceError } from "../../errors.ts";
import { log } from "../../log.ts";
import { acceptInput, deleteRun, stopRun } from "../../runs/control-run.ts";
import { createRun } from "../../runs/create-run.ts";
import type { RunDescriber } from "../../runs/read/describe-runs.ts";
import { findRunHead } from "../../runs/read/find-run.ts";
import { countRuns, type RunSearch, searchRuns } from "../../runs/read/search-runs.ts";
import type { Run } from "../../runs/types.ts";
import { usageByDay } from "../../runs/read/usage-by-day.ts";
import type { Call, ManageHandlers, Schemas } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { wireDayUsage, wireDetail, wireRun } from "../wire/run.ts";

/**
 * Runs of all agents: lists, counts, usage, and everything that an operator does with a run. `forLists`: the accounts for
 * lists and counts, which pages refresh.
 */
export function runHandlers(deps: ManageDeps, describer: RunDescriber, forLists: ManageDeps["accounts"]) {
  const { accounts, runs, now } = deps;
  const listDeps = { runs, accounts: forLists, describer };

  async function viewOf(run: Run): Promise<Schemas["Run"]> {
    const agent = await accounts.findAgent(run.agentId);
    const described = await describer.describe([run], new Map(agent && [[agent.id, agent]]));
    const [view] = described.map(wireRun);
    if (!view) throw new Error("one run has one description");
    return view;
  }

  return {
    async list_runs({ query, principal }) {
      const { status, limit, cursor } = query;
      const page = { limit, ...(status && { status }), ...(cursor !== undefined && { cursor }) };
      const found = await searchRuns(listDeps, { ...searchOf(query, principal), ...page, ...charged(principal) });
      const next = found.cursor ?? null;
      return jsonResponse(200, { data: found.runs.map(wireRun), next } satisfies Schemas["RunPage"]);
    },

    async count_runs({ query, principal }) {
      const counts = await countRuns(listDeps, { ...searchOf(query, principal), ...charged(principal) });
      return jsonResponse(200, counts satisfies Schemas["RunCounts"]);
    },

    async create_run({ request, body, principal: { actor } }) {
      const { id: agentId, organizationId } = await findAgent(accounts, body.agent_id);
      const { name, input_text, files = [] } = body;
      const newRun = { name, text: input_text ?? undefined, files: base64Uploads(files) };
      const { id } = await createRun({ ...deps, actor }, { agentId, organizationId }, newRun);
      log("info", "run created", { requestId: request.id, runId: id });
      return jsonResponse(201, await viewOf(await findRunHead(runs, id)));
    },

    async get_run({ path }) {
      const run = await findRunHead(runs, path.run_id);
      return jsonResponse(200, wireDetail(await describer.detail(run)));
    },

    async create_input({ path, body, principal: { actor } }) {
      return jsonResponse(202, await viewOf(await acceptInput({ ...deps, actor }, path.run_id, body.input_text)));
    },

    async stop_run({ path, principal: { actor } }) {
      return jsonResponse(200, await viewOf(await stopRun({ ...deps, actor }, path.run_id)));
    },

    async delete_run({ path, principal: { actor } }) {
      await deleteRun({ ...deps, actor }, path.run_id);
      return { status: 204, headers: {}, body: "" };
    },

    async get_usage({ query, principal }) {
      const today = startOfDay(now());
      const until = query.until === undefined ? today : timeIn("until", query.until);
      const since = query.since === undefined ? until - 30 * dayMilliseconds : timeIn("since", query.since);
      if (since > until) throw new ServiceError("invalid_argument", "since is after until; choose an earlier day");
      const { rows, complete } = await usageByDay(deps, {
        of: searchOf(query, principal).of,
        since,
        until: until + dayMilliseconds,
        milliseconds: maxUsageTime,
        ...charged(principal),
      });
      const report: Schemas["UsageReport"] = { data: rows.map(wireDayUsage), next: null, complete };
      return jsonResponse(200, report);
    },
  } satisfies ManageHandlers;
}

const dayMilliseconds = 86_400_000;
/** Milliseconds for a report of usage: API Gateway waits 30 s for a response. */
const maxUsageTime = 20_000;

function startOfDay(milliseconds: number): number {
  return milliseconds - (milliseconds % dayMilliseconds);
}

type Filters = Pick<Call<"list_runs">["query"], "organization_id" | "agent_id" | "since" | "until" | "q">;

function searchOf(
  { organization_id, agent_id, ...filters }: Filters,
  principal: Call<"list_runs">["principal"],
): Omit<RunSearch, "limit" | "cursor"> {
  const organizations = limitedTo(principal);
  return {
    of: {
      ...(organization_id !== undefined && { organization: organization_id }),
      ...(agent_id !== undefined && { agent: agent_id }),
      ...(organizations && { organizations }),
    },
    ...searchIn(filters),
  };
}
