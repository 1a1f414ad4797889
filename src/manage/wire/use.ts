import type { FileUse, Used } from "../../runs/files/file-use.ts";
import type { Schemas } from "../call.ts";

/** `openStreams` undefined: this process cannot know them. */
export function wireUse(
  { storedBytes, pendingUploads, pendingUploadBytes }: FileUse,
  openStreams: Used | undefined,
): Schemas["Use"] {
  return {
    stored_bytes: wireUsed(storedBytes),
    pending_uploads: wireUsed(pendingUploads),
    pending_upload_bytes: wireUsed(pendingUploadBytes),
    open_streams: openStreams ? wireUsed(openStreams) : null,
  };
}

function wireUsed({ used, limit }: Used): Schemas["Use"]["stored_bytes"] {
  return { used, limit: limit ?? null };
}
