import { GetObjectCommand, HeadObjectCommand, NotFound, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { SignedTransfers } from "../../../runs/ports.ts";
import { withMappedErrors } from "../sdk/sdk-errors.ts";
import { uploadKey } from "../pending-uploads.ts";
import { contentKey } from "../workspace.ts";

/** Seconds for which a client can begin a transfer. A URL also ends with the credentials that signed it. */
const [putSeconds, getSeconds] = [3_600, 60];

/**
 * Signs requests to the bucket. A function that calls `put` needs permission to write `uploads/`; for `get`, to read
 * `workspaces/` and to list the bucket.
 */
export function signedTransfers(s3: () => Promise<S3Client>, bucket: string): SignedTransfers {
  return withMappedErrors<SignedTransfers>("S3", {
    async put(upload) {
      const checksum = Buffer.from(upload.sha256, "hex").toString("base64");
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: uploadKey(upload),
        ContentLength: upload.size,
        ChecksumSHA256: checksum,
      });
      const url = await getSignedUrl(await s3(), command, {
        expiresIn: putSeconds,
        // In the query, S3 would not compare it with the content.
        unhoistableHeaders: new Set(["x-amz-checksum-sha256"]),
      });
      return { url, headers: { "content-length": String(upload.size), "x-amz-checksum-sha256": checksum } };
    },

    async get(runId, sha256, disposition) {
      const stored = { Bucket: bucket, Key: contentKey(runId, sha256) };
      try {
        await (await s3()).send(new HeadObjectCommand(stored));
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        throw error;
      }
      const command = new GetObjectCommand({
        ...stored,
        ResponseContentDisposition: disposition,
        ResponseContentType: "application/octet-stream",
        ResponseCacheControl: "no-store",
      });
      return { url: await getSignedUrl(await s3(), command, { expiresIn: getSeconds }), headers: {} };
    },
  });
}
