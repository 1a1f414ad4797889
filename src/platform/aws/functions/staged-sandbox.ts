import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeRequest, encodeWhole, maxMessageBytes } from "../../../sandbox/codec.ts";
import type { Sandbox } from "../../../sandbox/sandbox-types.ts";
import { objectTransfers, TransferFailed } from "../s3/object-transfers.ts";
import { type SandboxAnswer, resultName, type StagedMessages } from "../container/program-messages.ts";

/**
 * Runs a request whose files, or whose result, may be too large for a message of Lambda. `given`: the request. Absent: it is
 * staged.
 */
export async function runStagedRequest(
  sandbox: Sandbox,
  given: string | undefined,
  { request, staging, addresses }: StagedMessages,
): Promise<SandboxAnswer> {
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
