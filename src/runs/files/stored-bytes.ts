import type { Accounts, Quota } from "../../accounts/account-types.ts";
import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import { ServiceError } from "../../errors.ts";
import type { Runs } from "../ports.ts";
import type { QuotaScope, RunChange, RunOwner } from "../run-types.ts";

/** Bytes of the files of a manifest. Old contents do not count, as for the limits of a workspace. */
export function bytesOfFiles(files: Pick<FileVersion, "size">[]): number {
  return files.reduce((bytes, { size }) => bytes + size, 0);
}

/** Bytes that a change adds to the files of its run. Negative: it removes some. */
export function storedBytesOf({ entries = [] }: Pick<RunChange, "entries">): number {
  return entries.reduce((bytes, entry) => bytes + (entry.part === "result" ? (entry.fileBytes ?? 0) : 0), 0);
}

/** `maxStoredBytes` of an agent and its organization. */
type StorageLimits = Partial<Record<QuotaScope, number>>;

/** What a quota leaves for further files. `left` is below 0 if the files exceed it. */
export interface StorageLeft {
  scope: QuotaScope;
  limit: number;
  left: number;
}

/** Undefined: neither has a limit. */
export function storageLimits(agent: Quota | undefined, organization: Quota | undefined): StorageLimits | undefined {
  const [ofAgent, shared] = [agent?.maxStoredBytes, organization?.maxStoredBytes];
  if (ofAgent === undefined && shared === undefined) return undefined;
  return {
    ...(ofAgent !== undefined && { agent: ofAgent }),
    ...(shared !== undefined && { organization: shared }),
  };
}

/** What the quota leaves that leaves less. */
async function storageLeft(
  runs: Pick<Runs, "storedBytes">,
  owner: RunOwner,
  { agent = Infinity, organization = Infinity }: StorageLimits,
): Promise<StorageLeft> {
  const used = await runs.storedBytes(owner);
  const ofAgent = { scope: "agent", limit: agent, left: agent - used.agent } as const;
  const shared = { scope: "organization", limit: organization, left: organization - used.organization } as const;
  return ofAgent.left <= shared.left ? ofAgent : shared;
}

/**
 * Rejects with `storage_quota_exceeded` unless the quotas leave these bytes for a file or the files of a create. Creates at
 * the same time do not see each other's files.
 */
export async function requireStorage(
  runs: Pick<Runs, "storedBytes">,
  owner: RunOwner,
  { limits, bytes }: { limits: StorageLimits | undefined; bytes: number },
): Promise<void> {
  if (!limits || bytes === 0) return;
  const { scope, limit, left } = await storageLeft(runs, owner, limits);
  if (bytes <= left) return;
  throw new ServiceError(
    "storage_quota_exceeded",
    `the files of the ${scope}'s runs have ${limit - left} bytes and would have ${limit - left + bytes}; at most ${limit} are ` +
      "accepted (maxStoredBytes); delete runs that are no longer needed",
  );
}

/** Returns a function that reads what the quotas leave for further files of a run. It resolves with undefined without a quota. */
export function storageOf(
  { accounts, runs }: { accounts: Pick<Accounts, "findAgent" | "findOrganization">; runs: Pick<Runs, "storedBytes"> },
  owner: RunOwner,
): () => Promise<StorageLeft | undefined> {
  let read: { limits: StorageLimits | undefined } | undefined; // once per invocation of a turn
  return async () => {
    read ??= { limits: await readLimits() };
    return read.limits && storageLeft(runs, owner, read.limits);
  };

  async function readLimits(): Promise<StorageLimits | undefined> {
    const found = [accounts.findAgent(owner.agentId), accounts.findOrganization(owner.organizationId)] as const;
    return storageLimits(...(await Promise.all(found)));
  }
}
