import { forAgent } from "../../accounts/authenticate.ts";
import { agentsOf } from "../../accounts/key-agents.ts";
import { timeOf } from "../../http/rest/wire/time.ts";
import { beginUpload, receiveUpload } from "../../runs/files/pending-uploads.ts";
import type { PendingUpload, SignedRequest } from "../../runs/ports.ts";
import type { ExtHandlers } from "../call.ts";
import { basePath } from "../path.ts";
import type { ExtDeps } from "../deps.ts";

/** Files that clients send before the create that names them. */
export function uploadHandlers(deps: ExtDeps): ExtHandlers {
  const { transfers, limits } = deps;
  const accepted = { maxBytes: limits.uploadBytes, ...(limits.pending && { maxPending: limits.pending }) };
  const addressOf = async (upload: PendingUpload): Promise<SignedRequest> =>
    "put" in transfers ? transfers.put(upload) : { url: `${basePath}/uploads/${upload.id}`, headers: {} };

  return {
    async create_upload({ body, principal }) {
      const { filename: name, size, sha256, template_id } = body;
      const given = { name, size, sha256 };
      const upload = await beginUpload({ ...deps, ...accepted }, forAgent(principal, template_id), given);
      return {
        upload_id: upload.id,
        ...(await addressOf(upload)),
        method: "PUT",
        expires_at: timeOf(upload.expiresAt),
      };
    },

    ...("receive" in transfers && {
      async receive_upload({ path, principal, request: { headers, bodyChunks } }) {
        if (!bodyChunks) throw new Error("the host of receive_upload must pass the body in chunks");
        const length = headers["content-length"];
        const content = { length: length === undefined ? undefined : Number(length), chunks: bodyChunks() };
        await receiveUpload({ ...deps, ...transfers }, agentsOf(principal), path.upload_id, content);
      },
    }),
  };
}
