import { forAgent, type Principal } from "../../accounts/authenticate.ts";
import { agentsOf } from "../../accounts/key-agents.ts";
import { type ApiRequest, type ApiResponse, jsonResponse } from "../../http/handler.ts";
import { attachment, contentDisposition, redirectedAttachment } from "../../http/rest/attachment.ts";
import { wireCreatedFiles } from "../../http/rest/wire/run.ts";
import { log } from "../../log.ts";
import { runHandlers as sharedHandlers } from "../../run-api/handlers.ts";
import { type TaggedBody, taggedResponse } from "../../run-api/run-tag.ts";
import { wireNewToken } from "../../run-api/token-handlers.ts";
import { deleteOwnRun } from "../../runs/control-run.ts";
import { createRun } from "../../runs/create-run.ts";
import type { ChangedFile } from "../../runs/files/read-files.ts";
import { findOwnRun, lastOutput } from "../../runs/own-run.ts";
import { createRunToken } from "../../runs/run-tokens.ts";
import { untilIdle } from "../../runs/read/until-idle.ts";
import { runDescriber } from "../../runs/read/describe-runs.ts";
import type { Run } from "../../runs/types.ts";
import type { ExtHandlers, Schemas } from "../call.ts";
import type { ExtDeps } from "../deps.ts";
import { wireDetail, wireRun } from "../wire/run.ts";
import { newRunOf } from "./create-run.ts";
import { holdersOf, streamOf } from "./events.ts";

/** Runs of the caller's agents, with their events and files. */
export function runHandlers(deps: ExtDeps) {
  const { runs, transfers } = deps;
  const describer = runDescriber(deps);
  const find = (caller: Principal, id: string): Promise<Run> => findOwnRun(runs, caller, id);
  const viewOf = async (run: Run): Promise<Schemas["Run"]> => wireRun(await describer.describe(run));

  async function detailOf(run: Run): Promise<TaggedBody> {
    const [detail, output] = await Promise.all([describer.detail(run), lastOutput(runs, run)]);
    return { ...detail.holds, body: wireDetail(detail, output) };
  }

  return {
    ...sharedHandlers<Principal>(
      { ...deps, describer },
      {
        find,
        ownersOf: (caller, { template_id }) => ({
          agents: agentsOf(template_id === undefined ? caller : forAgent(caller, template_id)),
          imported: false,
        }),
        listAccounts: deps.accounts,
        wireRun,
        viewOf,
        detailOf,
        streamOf,
        download: (...file) => download(transfers, ...file),
      },
    ),

    async get_run({ request, principal, caller, path, query }) {
      const { streams, wait } = deps;
      using waiting = query.wait > 0 ? streams?.open(holdersOf(principal)) : undefined;
      const seconds = streams && !waiting ? 0 : query.wait; // a client with as many streams as it may have polls
      const read = async () => find(await caller(), path.run_id);
      const signal = request.whileConnected?.() ?? new AbortController().signal;
      const run = await untilIdle({ read, seconds, interval: wait.interval, signal });
      return taggedResponse({ request, basis: [run], now: deps.now }, () => detailOf(run));
    },

    async create_run(call) {
      const { request, principal } = call;
      const { id, files, replayed } = await createRun(deps, forAgent(principal, call.body.template_id), newRunOf(call));
      if (!replayed) log("info", "run created", { requestId: request.id, runId: id });
      const run = await viewOf(await find(principal, id));
      const { token: asked } = call.body;
      const token = asked ? wireNewToken(await createRunToken(deps, id, asked.expires_in)) : null;
      const created: Schemas["CreatedRun"] = { ...run, files: wireCreatedFiles(files), token };
      return jsonResponse(201, created, replayed ? { "idempotent-replayed": "true" } : {});
    },

    async delete_run({ path, principal }) {
      const run = await find(principal, path.run_id);
      return jsonResponse(200, await viewOf(await deleteOwnRun(deps, run)));
    },
  } satisfies ExtHandlers;
}

/** The content of a file, or a redirect to it. Undefined: it is no longer kept. */
async function download(
  transfers: ExtDeps["transfers"],
  request: ApiRequest,
  runId: string,
  file: ChangedFile,
): Promise<ApiResponse | undefined> {
  if ("send" in transfers) {
    const read = await transfers.send(runId, file.sha256);
    return read && attachment(request, file, read);
  }
  const signed = await transfers.get(runId, file.sha256, contentDisposition(file.name));
  return signed && redirectedAttachment(request, file, signed.url);
}
