import type { ApiRequest, ApiResponse } from "../../http/handler.ts";
import { attachment, contentDisposition, redirectedAttachment } from "../../http/rest/attachment.ts";
import { fileHandler } from "../../operations/record-handlers.ts";
import { deleteOwnRun } from "../../runs/control/control-run.ts";
import type { ChangedFile } from "../../runs/files/read-files.ts";
import { findOwnRun } from "../../runs/control/own-run.ts";
import type { RunDescriber } from "../../runs/read/describe-runs.ts";
import type { ExtHandlers } from "../call.ts";
import type { ExtDeps } from "../deps.ts";
import { wireOwnRun } from "../wire/run.ts";

/** The contents of files, and the erasure of a run. */
export function ownRecordHandlers(deps: ExtDeps, describer: RunDescriber): ExtHandlers {
  const { runs, transfers } = deps;

  /** A redirect, if the content is sent past this service. */
  async function download(request: ApiRequest, runId: string, file: ChangedFile): Promise<ApiResponse | undefined> {
    if ("send" in transfers) {
      const read = await transfers.send(runId, file.sha256);
      return read && attachment(request, file, read);
    }
    const signed = await transfers.get(runId, file.sha256, contentDisposition(file.name));
    return signed && redirectedAttachment(request, file, signed.url);
  }

  return {
    ...fileHandler(deps, (caller, id) => findOwnRun(runs, caller, id), download),

    async delete_run({ path, principal }) {
      const run = await findOwnRun(runs, principal, path.run_id);
      return wireOwnRun(await describer.describe(await deleteOwnRun(deps, run)));
    },
  };
}
