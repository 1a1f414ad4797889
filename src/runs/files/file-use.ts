import type { Agent, Organization } from "../../accounts/account-types.ts";
import type { PendingUse, Uses } from "../ports.ts";
import type { QuotaScope, RunOwner } from "../run-types.ts";

/** How much of a limit is used. Absent limit: there is none. */
export interface Used {
  used: number;
  limit?: number | undefined;
}

/** What an agent, or all agents of an organization, use of the limits of files. */
export type FileUse = Record<"storedBytes" | "pendingUploads" | "pendingUploadBytes", Used>;

type FileLimits = Partial<Record<keyof FileUse, number | undefined>>;

/** What an agent uses. `maxPending`: what the service accepts of one agent. Absent: any number. */
export function fileUseOfAgent(
  deps: Uses<"runs" | "pendingUploads">,
  { id: agentId, organizationId, maxStoredBytes }: Agent,
  maxPending?: PendingUse,
): Promise<FileUse> {
  return readUse(
    deps,
    "agent",
    { agentId, organizationId },
    {
      storedBytes: maxStoredBytes,
      pendingUploads: maxPending?.uploads,
      pendingUploadBytes: maxPending?.bytes,
    },
  );
}

/** What all agents of an organization use together. The number of reads does not depend on that of its agents. */
export function fileUseOfOrganization(
  deps: Uses<"runs" | "pendingUploads">,
  { id, maxStoredBytes, maxPendingUploadBytes }: Organization,
): Promise<FileUse> {
  // The ports read for an agent and an organization. The id of the organization is passed as both: its counts are read twice.
  return readUse(
    deps,
    "organization",
    { agentId: id, organizationId: id },
    {
      storedBytes: maxStoredBytes,
      pendingUploadBytes: maxPendingUploadBytes,
    },
  );
}

async function readUse(
  { runs, pendingUploads }: Uses<"runs" | "pendingUploads">,
  scope: QuotaScope,
  owner: RunOwner,
  limits: FileLimits,
): Promise<FileUse> {
  const [stored, pending] = await Promise.all([runs.storedBytes(owner), pendingUploads.pendingUse(owner)]);
  const { uploads, bytes } = pending[scope];
  return {
    storedBytes: { used: stored[scope], limit: limits.storedBytes },
    pendingUploads: { used: uploads, limit: limits.pendingUploads },
    pendingUploadBytes: { used: bytes, limit: limits.pendingUploadBytes },
  };
}
