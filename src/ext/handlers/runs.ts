import { forAgent, type Principal } from "../../accounts/authenticate.ts";
import { agentsOf } from "../../accounts/key-agents.ts";
import type { ApiRequest, ApiResponse } from "../../http/handler.ts";
import { attachment, contentDisposition, redirectedAttachment } from "../../http/rest/attachment.ts";
import { WithHeaders } from "../../http/rest/call.ts";
import { wireShared } from "../../http/rest/wire/run.ts";
import { runHandlers as sharedHandlers } from "../../operations/handlers.ts";
import { deleteOwnRun } from "../../runs/control-run.ts";
import type { ChangedFile } from "../../runs/files/read-files.ts";
import { findOwnRun, lastOutput } from "../../runs/own-run.ts";
import type { RunDescriber } from "../../runs/read/describe-runs.ts";
import { createRunToken } from "../../runs/run-tokens.ts";
import type { Run } from "../../runs/types.ts";
import type { ExtHandlers, Schemas } from "../call.ts";
import type { ExtDeps } from "../deps.ts";
import { wireDetail, wireRun } from "../wire/run.ts";
import { streamOf } from "./events.ts";

/** What operations on runs need. The MCP endpoint has no `transfers`: its tools read contents themselves. */
type RunHandlersDeps = Omit<ExtDeps, "transfers" | "limits" | "companions" | "wait"> &
  Partial<Pick<ExtDeps, "transfers" | "wait">>;

/** Runs of the caller's agents, with their events and files. */
export function runHandlers(deps: RunHandlersDeps, describer: RunDescriber) {
  const { runs, transfers } = deps;
  const find = (caller: Principal, id: string): Promise<Run> => findOwnRun(runs, caller, id);
  const viewOf = async (run: Run): Promise<Schemas["Run"]> => wireRun(await describer.describe(run));

  const { create, ...shared } = sharedHandlers<Principal, Schemas>(
    { ...deps, describer },
    {
      find,
      ownersOf: (caller, { template_id }) => ({
        agents: agentsOf(template_id === undefined ? caller : forAgent(caller, template_id)),
        imported: false,
      }),
      listAccounts: deps.accounts,
      viewOf,
      pageOf: (found) => ({ data: found.runs.map(wireRun), next: found.cursor ?? null }),
      async detailOf(run) {
        const [detail, output] = await Promise.all([describer.detail(run), lastOutput(runs, run)]);
        return { ...detail.holds, json: wireDetail(detail, output) };
      },
      streamOf,
      download: (...file) => download(transfers, ...file),
    },
  );

  return {
    ...shared,

    async create_run(call) {
      const { template_id, token: asked } = call.body;
      const { json, headers } = await create(call, forAgent(call.principal, template_id));
      const token = asked && wireShared("CreatedRunToken", await createRunToken(deps, json.id, asked.expires_in));
      return new WithHeaders<Schemas["CreatedRun"]>({ ...json, token: token ?? null }, headers);
    },
  } satisfies ExtHandlers;
}

/** The erasure of a run of the caller's agents. */
export function deletionHandlers(deps: ExtDeps, describer: RunDescriber): ExtHandlers {
  return {
    async delete_run({ path, principal }) {
      const run = await findOwnRun(deps.runs, principal, path.run_id);
      return wireRun(await describer.describe(await deleteOwnRun(deps, run)));
    },
  };
}

/** The content of a file, or a redirect to it. Undefined: it is no longer kept. */
async function download(
  transfers: ExtDeps["transfers"] | undefined,
  request: ApiRequest,
  runId: string,
  file: ChangedFile,
): Promise<ApiResponse | undefined> {
  if (!transfers) return undefined;
  if ("send" in transfers) {
    const read = await transfers.send(runId, file.sha256);
    return read && attachment(request, file, read);
  }
  const signed = await transfers.get(runId, file.sha256, contentDisposition(file.name));
  return signed && redirectedAttachment(request, file, signed.url);
}
