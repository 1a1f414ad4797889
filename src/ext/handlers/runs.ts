import { jsonResponse } from "../../http/handler.ts";
import { charged, searchIn } from "../../http/rest/parameter-values.ts";
import { log } from "../../log.ts";
import { acceptInput, deleteOwnRun, stopRun } from "../../runs/control-run.ts";
import { createRun } from "../../runs/create-run.ts";
import type { RunDescriber } from "../../runs/read/describe-runs.ts";
import { findOwnRun, lastOutput } from "../../runs/own-run.ts";
import { type RunSearch, searchRuns } from "../../runs/read/search-runs.ts";
import type { Run } from "../../runs/types.ts";
import type { Call, ExtHandlers, Schemas } from "../call.ts";
import type { ExtDeps } from "../deps.ts";
import { wireDetail, wireRun } from "../wire/run.ts";
import { newRunOf } from "./create-run.ts";

/** Runs of the caller's agent. */
export function runHandlers(deps: ExtDeps, describer: RunDescriber) {
  const { runs } = deps;

  async function viewOf(run: Run): Promise<Schemas["Run"]> {
    const [view] = (await describer.describe([run], new Map())).map(wireRun);
    if (!view) throw new Error("one run has one description");
    return view;
  }

  return {
    async create_run(call) {
      const { request, principal } = call;
      const { id, replayed } = await createRun(deps, principal, newRunOf(call));
      if (!replayed) log("info", "run created", { requestId: request.id, runId: id });
      const run = await viewOf(await findOwnRun(runs, principal, id));
      return jsonResponse(201, run, replayed ? { "idempotent-replayed": "true" } : {});
    },

    async list_runs(call) {
      const found = await searchRuns({ ...deps, describer }, searchOf(call));
      const next = found.cursor ?? null;
      return jsonResponse(200, { data: found.runs.map(wireRun), next } satisfies Schemas["RunPage"]);
    },

    async get_run({ path, principal }) {
      const run = await findOwnRun(runs, principal, path.run_id);
      const [detail, output] = await Promise.all([describer.detail(run), lastOutput(runs, run)]);
      return jsonResponse(200, wireDetail(detail, output));
    },

    async create_input({ path, body, principal }) {
      const { id } = await findOwnRun(runs, principal, path.run_id);
      return jsonResponse(202, await viewOf(await acceptInput(deps, id, body.input_text)));
    },

    async stop_run({ path, principal }) {
      const { id } = await findOwnRun(runs, principal, path.run_id);
      return jsonResponse(200, await viewOf(await stopRun(deps, id)));
    },

    async delete_run({ path, principal }) {
      const { id } = await findOwnRun(runs, principal, path.run_id);
      return jsonResponse(200, await viewOf(await deleteOwnRun(deps, principal, id)));
    },
  } satisfies ExtHandlers;
}

function searchOf({ principal, query }: Call<"list_runs">): RunSearch {
  const { status, cursor, limit, ...filters } = query;
  return {
    of: { agent: principal.agentId },
    limit,
    ...(status && { status }),
    ...searchIn(filters),
    ...charged(principal),
    ...(cursor !== undefined && { cursor }),
  };
}
