import { createHash } from "node:crypto";
import { requireActive } from "../../accounts/agents/agents.ts";
import { ServiceError } from "../../errors.ts";
import type { Uses, PendingLimits, PendingRefusal, PendingUpload, PendingUse, ServedTransfers } from "../ports.ts";
import { requireStorage, storageLimits } from "./stored-bytes.ts";
import { type QuotaScope, quotaScopes, type RunOwner } from "../run-types.ts";

/** What a client announces: name, bytes and SHA-256 (64 hex digits) of the file that it will send. */
export type NewUpload = Pick<PendingUpload, "name" | "size" | "sha256">;

/**
 * Sizes of the largest upload in MB of 1,048,576 bytes. `max` of the setting: `advance`, which has 1,769 MB, takes 650 MB to
 * read such a file, and up to 1,024 MB for two documents.
 */
export const uploadMegabytes = { default: 100, max: 200 } as const;

/** What an agent can have pending on one machine: uploads, and by default MB of all together. */
export const pendingLimits = { uploads: 20_000, megabytes: 51_200 } as const;

const purpose = "upload files";

/** Milliseconds for which creates can name an upload. */
const validMilliseconds = 24 * 3_600_000;

/**
 * Registers a file that the agent's client will send, or extends the time of one that it has registered before. Rejects
 * with `upload_too_large` above `maxBytes`, with `too_many_uploads` if the agent would have more than `maxPending` or the organization
 * more than its `maxPendingUploadBytes`, with `storage_quota_exceeded` if quotas leave no room for a run with the file, and unless
 * the agent is active.
 */
export async function beginUpload(
  {
    accounts,
    runs,
    pendingUploads,
    now,
    maxBytes,
    maxPending,
  }: Uses<"accounts" | "runs" | "pendingUploads" | "now"> & {
    maxBytes: number;
    maxPending?: PendingUse;
  },
  owner: RunOwner,
  { name, size, sha256 }: NewUpload,
): Promise<PendingUpload> {
  const { agentId, organizationId } = owner;
  if (size > maxBytes) {
    const received = `The file has ${size} bytes; this service accepts at most ${maxBytes}.`;
    throw new ServiceError("upload_too_large", `${received} Split or compress it.`);
  }
  const [found, organization] = await Promise.all([
    accounts.findAgent(agentId),
    accounts.findOrganization(organizationId),
  ]);
  const agent = requireActive(found, purpose);
  await requireStorage(runs, owner, { limits: storageLimits(agent, organization), bytes: size });
  const createdAt = now();
  const times = { createdAt, expiresAt: createdAt + validMilliseconds };
  const file = { name, size, sha256: sha256.toLowerCase() };
  const upload = { id: uploadId(agentId, file), agentId, ...file, ...times };
  const bytes = organization?.maxPendingUploadBytes;
  const limits = { ...(maxPending && { agent: maxPending }), ...(bytes !== undefined && { organization: { bytes } }) };
  const refusal = await pendingUploads.add(upload, { organizationId, limits });
  if (refusal) throw tooManyUploads(refusal, size);
  return upload;
}

/** The first limit that has no room for an upload of `size` bytes. Undefined: all have. */
export function refusalOf(
  size: number,
  used: Record<QuotaScope, PendingUse>,
  limits: PendingLimits,
): PendingRefusal | undefined {
  for (const scope of quotaScopes) {
    const [use, { [scope]: limit = {} }] = [used[scope], limits];
    const { uploads = Infinity, bytes = Infinity } = limit;
    if (use.uploads >= uploads || use.bytes + size > bytes) return { scope, use, limit };
  }
  return undefined;
}

function tooManyUploads({ scope, use, limit: { uploads, bytes } }: PendingRefusal, size: number): ServiceError {
  const setting = scope === "organization" ? " (maxPendingUploadBytes)" : "";
  const accepted = [uploads ?? [], `${bytes} bytes`].flat().join(" of ");
  return new ServiceError(
    "too_many_uploads",
    `the ${scope} has ${use.uploads} pending uploads of ${use.bytes} bytes, and this one has ${size}; at most ${accepted} are ` +
      `accepted${setting}; an upload expires 24 hours after it was registered, or is deleted with the last run that names it`,
  );
}

/**
 * The same file of an agent has the same id: a program that repeats a create from the start, with its idempotency key,
 * sends the same body. A UUID of version 8 (RFC 9562, 5.8).
 */
function uploadId(agentId: string, { name, size, sha256 }: NewUpload): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([agentId, name, size, sha256]))
    .digest("hex");
  const variant = (8 + (Number.parseInt(hash.charAt(16), 16) % 4)).toString(16);
  const groups = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, variant + hash.slice(17, 20)];
  return [...groups, hash.slice(20, 32)].join("-");
}

const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An upload of one of the agents. Rejects with `upload_not_found` if it is unknown, expired or another agent's. */
export async function findUpload(
  { pendingUploads, now }: Uses<"pendingUploads" | "now">,
  agentIds: string[],
  id: string,
): Promise<PendingUpload> {
  const upload = isUuid.test(id) ? await pendingUploads.find(id.toLowerCase()) : undefined;
  if (upload && agentIds.includes(upload.agentId) && upload.expiresAt > now()) return upload;
  throw new ServiceError(
    "upload_not_found",
    `Upload ${JSON.stringify(id)} does not exist or has expired; create a new one`,
  );
}

/** The content of an upload on its way. `length`: its announced number of bytes, if the client sent one. */
export interface IncomingContent {
  length: number | undefined;
  chunks: AsyncIterable<Uint8Array>;
}

/**
 * Stores the content of an upload as it arrives. Rejects with `upload_mismatch`, and stores nothing, if size or hash differ
 * from those that the client announced. `agentIds`: whose upload it can be. Idempotent. Rejects unless the agent is active.
 */
export async function receiveUpload(
  deps: Uses<"accounts" | "pendingUploads" | "now"> & Pick<ServedTransfers, "receive">,
  agentIds: string[],
  id: string,
  { length, chunks }: IncomingContent,
): Promise<void> {
  const upload = await findUpload(deps, agentIds, id);
  requireActive(await deps.accounts.findAgent(upload.agentId), purpose);
  if (length !== undefined && length !== upload.size) throw wrongSize(upload, length);
  await deps.receive(upload, verified(chunks, upload));
}

async function* verified(chunks: AsyncIterable<Uint8Array>, upload: PendingUpload): AsyncIterable<Uint8Array> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > upload.size) throw wrongSize(upload, `more than ${upload.size}`);
    hash.update(chunk);
    yield chunk;
  }
  if (size < upload.size) throw wrongSize(upload, size);
  const sha256 = hash.digest("hex");
  if (sha256 === upload.sha256) return;
  const expected = `the upload was created for ${upload.sha256}`;
  throw new ServiceError("upload_mismatch", `The content has the SHA-256 ${sha256}; ${expected}`);
}

function wrongSize({ size: expected }: PendingUpload, size: number | string): ServiceError {
  return new ServiceError("upload_mismatch", `The content has ${size} bytes; the upload was created for ${expected}`);
}

/** Stores the content of an upload for a run. Rejects with `upload_incomplete` if it has not arrived. */
export async function copyUpload(
  { pendingUploads }: Uses<"pendingUploads">,
  runId: string,
  upload: PendingUpload,
): Promise<void> {
  if (await pendingUploads.copyTo(runId, upload)) return;
  throw new ServiceError(
    "upload_incomplete",
    `The content of upload ${upload.id} (${JSON.stringify(upload.name)}) has not arrived; send it with PUT first`,
  );
}
