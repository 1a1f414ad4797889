import { findAgent } from "../accounts/agents.ts";
import { findOrganization } from "../accounts/organizations.ts";
import { ServiceError } from "../errors.ts";
import { newestFirst } from "./merge-runs.ts";
import type { Stores } from "./ports.ts";
import type { RunStatus } from "./status.ts";
import type { Run, RunPlace } from "./types.ts";

/**
 * Which runs to list: of an agent or an organization, created from `since` to before `until`, in milliseconds since 1970.
 * `cursor`: of the page before.
 */
export interface RunFilter {
  of: { agent: string } | { organization: string };
  status?: RunStatus;
  since?: number;
  until?: number;
  limit: number;
  cursor?: string;
}

/**
 * Lists runs, newest first, at most `limit`. With `cursor`, there may be more: the page can be short, or even empty,
 * because a filter by status ends after a bounded number of runs.
 */
export async function listRuns(
  { accounts, runs }: Pick<Stores, "accounts" | "runs">,
  { of, status, since, until, limit, cursor }: RunFilter,
): Promise<{ runs: Run[]; cursor?: string }> {
  const before = until === undefined ? undefined : { createdAt: until, id: "" };
  const [after] = [before, cursor === undefined ? undefined : decode(cursor)]
    .filter((place) => place !== undefined)
    .toSorted(newestFirst)
    .slice(-1);
  const page = await runs.list({
    agentIds: await agentIdsOf(accounts, of),
    ...(status && { status }),
    ...(since !== undefined && { since }),
    ...(after && { after }),
    limit,
  });
  return { runs: page.runs, ...(page.next && { cursor: encode(page.next) }) };
}

async function agentIdsOf(accounts: Stores["accounts"], of: RunFilter["of"]): Promise<string[]> {
  if ("agent" in of) return [(await findAgent(accounts, of.agent)).id];
  const { id } = await findOrganization(accounts, of.organization);
  return (await accounts.listAgents(id)).map((agent) => agent.id);
}

function encode({ createdAt, id }: RunPlace): string {
  return Buffer.from(`${createdAt} ${id}`).toString("base64url");
}

function decode(cursor: string): RunPlace {
  const [, createdAt, id = ""] = /^(\d{1,15}) (\S+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (createdAt !== undefined) return { createdAt: Number(createdAt), id };
  throw new ServiceError(
    "invalid_argument",
    `the cursor ${JSON.stringify(cursor.slice(0, 100))} is not valid; use the cursor that the previous page printed`,
  );
}
