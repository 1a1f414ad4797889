import { createHash } from "node:crypto";
import { CopyObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { log } from "../../../log.ts";
import { bucketObjects } from "./bucket.ts";
import { withMappedErrors } from "../sdk/sdk-errors.ts";

/** Objects that a function without permissions has stored with a signed form. Their contents may differ from its report. */
export interface StagedObjects {
  /**
   * Copies an object to the key of a content if it has this SHA-256 and size. False: it has others, or does not exist.
   * Reads it once; S3 then copies what was read.
   */
  adopt(key: string, content: { sha256: string; size: number }, to: string): Promise<boolean>;
  /** Undefined: there is none. Rejects if it has more than `maxBytes`. */
  readText(key: string, maxBytes: number): Promise<string | undefined>;
  writeText(key: string, text: string): Promise<void>;
  /** Deletes all objects of a call. Logs a failure and resolves: the bucket's lifecycle deletes them later. */
  removeAll(prefix: string): Promise<void>;
}

export function stagedObjects(s3: () => Promise<S3Client>, Bucket: string): StagedObjects {
  async function get(Key: string) {
    try {
      return await (await s3()).send(new GetObjectCommand({ Bucket, Key }));
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  return withMappedErrors<StagedObjects>("S3", {
    async adopt(key, { sha256, size }, to) {
      const found = await get(key);
      if (found?.Body === undefined) return false;
      const hash = createHash("sha256");
      let bytes = 0;
      for await (const part of found.Body as AsyncIterable<Uint8Array>) {
        bytes += part.length;
        hash.update(part);
      }
      if (bytes !== size || hash.digest("hex") !== sha256) return false;
      // The form is still valid: the object may have been replaced since.
      const copy = { Bucket, Key: to, CopySource: `${Bucket}/${key}`, CopySourceIfMatch: found.ETag };
      try {
        await (await s3()).send(new CopyObjectCommand(copy), { requestTimeout: copyTimeout });
        return true;
      } catch (error) {
        if ((error as Error).name === "PreconditionFailed") return false;
        throw error;
      }
    },

    async readText(key, maxBytes) {
      const found = await get(key);
      if (found === undefined) return undefined;
      if ((found.ContentLength ?? 0) > maxBytes) throw new Error(`${key} has more than ${maxBytes} bytes`);
      return found.Body?.transformToString();
    },

    async writeText(Key, Body) {
      await (await s3()).send(new PutObjectCommand({ Bucket, Key, Body }));
    },

    async removeAll(prefix) {
      try {
        await bucketObjects(await s3(), Bucket).removeAll(prefix);
      } catch (error) {
        log("error", "staged objects of a program were not deleted; they expire", { prefix, cause: String(error) });
      }
    },
  });
}

/** Milliseconds. S3 copies within the bucket, at 100 MB a second or more. */
const copyTimeout = 20_000;
