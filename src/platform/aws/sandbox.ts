import { createHash, randomUUID } from "node:crypto";
import { maxFileMegabytes, decodeResult, encodeMessage, encodeWhole, maxMessageBytes } from "../../sandbox/codec.ts";
import { sandboxLimits } from "../../sandbox/program-limits.ts";
import type { Sandbox, SandboxRequest, SandboxResult } from "../../sandbox/sandbox-types.ts";
import { bucketAddresses } from "./s3/bucket-addresses.ts";
import { invokeFunction, type SandboxFunction, unavailable } from "./functions/invoke-function.ts";
import {
  type SandboxAnswer,
  type SandboxEvent,
  requestName,
  resultName,
  type StagedMessages,
} from "./container/program-messages.ts";
import { objectSigner } from "./s3/signed-objects.ts";
import type { StagedObjects } from "./s3/staged-objects.ts";
import { objectPrefixes } from "./dynamodb/table.ts";

/** Added to the time limit of the program or document: the cold start of the function and both messages. */
export const overheadSeconds = 30;

/** Bytes of an encoded message in the bucket: files that do not become smaller, as base64, with the output and the program. */
const maxStagedBytes = 2 * sandboxLimits.filesBytes;

/** Where messages go that are too long for Lambda. `url`: the bucket's address, without a slash at the end. */
export interface MessageStore {
  bucket: { name: string; url: string };
  objects: StagedObjects;
}

/**
 * A sandbox in a Lambda function without permissions. `store`: of a function that has a route to the bucket; without it, files
 * that do not fit into a message are refused. Rejects with `StoreUnavailable` when the function cannot be invoked now.
 */
export function lambdaSandbox(fn: SandboxFunction, store?: MessageStore): Sandbox {
  return {
    maxBytes: sandboxLimits.filesBytes,
    async run(request, signal) {
      const limits = { signal, seconds: request.seconds + overheadSeconds };
      return store ? runStaged(fn, store, request, limits) : runInMessage(fn, request, limits);
    },
  };
}

type Limits = Parameters<typeof invokeFunction>[2];

async function runInMessage(fn: SandboxFunction, request: SandboxRequest, limits: Limits): Promise<SandboxResult> {
  const message = encodeMessage(request);
  if (message === undefined) {
    const names = request.files.map(({ name }) => name).join(", ");
    return withoutResult(
      `The files are too large for the sandbox: more than ${maxFileMegabytes} MB when compressed (${names}). ` +
        "Name fewer in files, or pass fewer lines.",
    );
  }
  const invoked = await invokeFunction(fn, { request: message }, limits);
  if ("problem" in invoked) return withoutResult(invoked.problem);
  const { result } = invoked.answer as { result?: string };
  return result ? decodeResult(result) : withoutResult(noResult(fn));
}

async function runStaged(
  fn: SandboxFunction,
  { bucket, objects }: MessageStore,
  request: SandboxRequest,
  limits: Limits,
): Promise<SandboxResult> {
  limits.signal.throwIfAborted();
  const { seconds } = limits;
  const prefix = `${objectPrefixes.staging}${randomUUID()}/`;
  const signer = objectSigner(fn.aws, bucket);
  const text = encodeWhole(request);
  const staged: StagedMessages = {
    staging: signer.form(prefix, { seconds, maxBytes: maxStagedBytes }),
    addresses: await bucketAddresses(bucket.url),
  };
  const event: SandboxEvent = { request: text, staged };
  if (text.length > maxMessageBytes - JSON.stringify(staged).length) {
    const key = prefix + requestName;
    await objects.writeText(key, text);
    const gets = signer.gets(seconds);
    const url = `${gets.url}${key}?${gets.query}${gets.signature(key)}`;
    staged.request = { url, sha256: createHash("sha256").update(text).digest("hex") };
    delete event.request;
  }
  let isStaged = true; // unless neither message was
  try {
    const invoked = await invokeFunction(fn, event, limits);
    if ("problem" in invoked) return withoutResult(invoked.problem);
    const answer = (invoked.answer ?? {}) as SandboxAnswer;
    if ("unavailable" in answer) throw unavailable(answer.unavailable, fn);
    const isLong = "isStaged" in answer;
    isStaged = isLong || staged.request !== undefined;
    const result = isLong ? await objects.readText(prefix + resultName, maxStagedBytes) : answer.result;
    return result ? decodeResult(result) : withoutResult(noResult(fn));
  } finally {
    if (isStaged) await objects.removeAll(prefix);
  }
}

const noResult = ({ name = "sandbox" }: SandboxFunction): string => `The ${name} function failed: it gave no reason.`;

function withoutResult(problem: string): SandboxResult {
  return { output: "", problem, written: [], notes: [] };
}
