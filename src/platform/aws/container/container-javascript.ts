import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeRequest, encodeWhole, maxMessageBytes } from "../../../sandbox/codec.ts";
import type { Sandbox } from "../../../sandbox/types.ts";
import { objectTransfers, TransferFailed } from "../s3/object-transfers.ts";
import { type JavascriptAnswer, resultName, type StagedMessages } from "./program-messages.ts";

/**
 * Runs a program of the JavaScript engine whose files, or whose results, may be too large for a message of Lambda. `given`: the
 * request. Absent: it is staged.
 */
export async function handleJavascript(
  sandbox: Sandbox,
  given: string | undefined,
  { request, staging, addresses }: StagedMessages,
): Promise<JavascriptAnswer> {
  const transfers = objectTransfers(addresses);
  try {
    const text = given ?? (request ? await fetchText(request) : "");
    const result = encodeWhole(await sandbox.run(decodeRequest(text), new AbortController().signal));
    if (result.length <= maxMessageBytes) return { result };
    await transfers.upload(staging, resultName, { text: result });
    return { isStaged: true };
  } catch (error) {
    if (error instanceof TransferFailed) return { unavailable: error.message };
    throw error;
  } finally {
    transfers.close();
  }

  async function fetchText({ url, sha256 }: { url: string; sha256: string }): Promise<string> {
    const path = join(tmpdir(), randomUUID());
    try {
      await transfers.download(url, path, sha256);
      return await readFile(path, "utf8");
    } finally {
      await rm(path, { force: true });
    }
  }
}
