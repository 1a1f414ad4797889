import { findOrganization } from "../accounts/organizations.ts";
import { findAgent } from "../accounts/agents/agents.ts";
import type { AuditEntry } from "../accounts/account-types.ts";
import { addUsage, noUsage, type Usage } from "../agent/turn/turn-limits.ts";
import { type ExportedFile, exportedFile, exportRun, jsonFile } from "../runs/read/export-run.ts";
import type { Stores } from "../runs/ports.ts";
import { dayOf } from "../runs/quotas.ts";
import type { ArchiveFile } from "../runs/files/tar.ts";
import type { Trials } from "../trials/ports.ts";
import type { Trial } from "../trials/trial-types.ts";
import { wireAgent, wireDefinition, wireVersion } from "./wire/agent.ts";
import { wireAuditEntry } from "./wire/operator.ts";
import { wireOrganization } from "./wire/organization.ts";
import { wireCase, wireTrial } from "./wire/trial.ts";
import { wireDelivery, wireEndpoint, wireWebhook } from "./wire/webhook.ts";

/** Version of the files of an export. */
const exportVersion = 1;
/** Entries that are read together. */
const pageSize = 1_000;

/** What an export contains. */
export interface ExportCounts {
  agents: number;
  runs: number;
  trials: number;
  deliveries: number;
  audit: number;
}

/**
 * Everything about an organization, one file at a time: agents with their versions, webhooks and deliveries, runs (as in
 * `exportRun`), trials with their cases, usage by day, audit, and last a manifest with counts and the hash of each file. The files of a run are in the
 * manifest of the run. It has no secrets and no hashes of keys. `counts` is filled in on the way.
 */
export async function* exportOrganization(
  { accounts, deliveries, trials, ...stores }: Stores & { trials: Trials },
  organizationId: string,
  { serviceVersion, now, counts }: { serviceVersion: string; now: number; counts: ExportCounts },
): AsyncGenerator<ArchiveFile> {
  const organization = await findOrganization(accounts, organizationId);
  const listed: ExportedFile[] = [];
  const add = (file: ArchiveFile): ArchiveFile => {
    listed.push(exportedFile(file));
    return file;
  };
  yield add(jsonFile("organization.json", wireOrganization(organization)));
  const usage = new Map<string, { day: string; agent_id: string; runs: number; used: Usage }>();
  const count = (createdAt: number, agentId: string, used: Usage | undefined): void => {
    const day = dayOf(createdAt);
    const key = `${day} ${agentId}`;
    const before = usage.get(key) ?? { day, agent_id: agentId, runs: 0, used: noUsage };
    usage.set(key, { ...before, runs: before.runs + 1, used: used ? addUsage(before.used, used) : before.used });
  };

  for (const listedAgent of await accounts.listAgents(organization.id)) {
    const agent = await findAgent(accounts, listedAgent.id);
    counts.agents++;
    const folder = `agents/${agent.id}/`;
    yield add(jsonFile(`${folder}agent.json`, wireAgent(agent, organization, [])));
    for (const head of await accounts.listAgentVersions(agent.id, Number.MAX_SAFE_INTEGER)) {
      const found = await accounts.findAgentVersion(agent.id, head.version);
      if (!found) continue;
      const version = { ...wireVersion(found), definition: wireDefinition(found.definition) };
      yield add(jsonFile(`${folder}versions/${head.version}.json`, version));
    }
    const keys = (await accounts.listKeys(agent.id)).map(({ hash: _hash, revision: _revision, ...key }) => key);
    yield add(jsonFile(`${folder}keys.json`, keys));
    const webhook = await accounts.findWebhookView(agent.id);
    if (webhook) {
      yield add(jsonFile(`${folder}webhook.json`, wireWebhook(webhook)));
      const { endpoints = [] } = webhook;
      const further = endpoints.map((endpoint) => wireEndpoint(webhook, endpoint));
      if (further.length > 0) yield add(jsonFile(`${folder}webhook-endpoints.json`, further));
    }

    let part = 1;
    for (let after: { at: number; id: string } | undefined, more = true; more;) {
      const page = await deliveries.list({ agentId: agent.id, limit: pageSize, ...(after && { after }) });
      counts.deliveries += page.deliveries.length;
      const rows = page.deliveries.map(wireDelivery);
      if (rows.length > 0) yield add(lines(`${folder}deliveries-${part++}.ndjson`, rows));
      after = page.next;
      more = after !== undefined;
    }

    for await (const trial of trialsOf(trials, agent.id)) {
      counts.trials++;
      const cases = await trials.listCases(trial.id);
      const content = { ...wireTrial(trial, cases), cases: cases.map((one) => wireCase(trial, one)) };
      yield add(jsonFile(`${folder}trials/${trial.id}.json`, content));
    }

    for (let after: { createdAt: number; id: string } | undefined, more = true; more;) {
      const page = await stores.runs.list({ agentIds: [agent.id], limit: pageSize, ...(after && { after }) });
      for (const { id, createdAt, used, imported } of page.runs) {
        counts.runs++;
        if (!imported) count(createdAt, agent.id, used);
        for await (const file of exportRun(stores, id, `runs/${id}/`)) {
          if (file.name.endsWith("/manifest.json")) add(file);
          yield file;
        }
      }
      after = page.next;
      more = after !== undefined;
    }
  }

  yield add(jsonFile("usage.json", [...usage.values()]));
  let part = 1;
  for await (const page of auditPages({ accounts }, organization.id, now)) {
    counts.audit += page.length;
    yield add(lines(`audit-${part++}.ndjson`, page.map(wireAuditEntry).map(withoutKeyHash)));
  }
  yield jsonFile("manifest.json", {
    format: "agent-run-service/organization",
    version: exportVersion,
    service_version: serviceVersion,
    exported_at: new Date(now).toISOString(),
    organization: { id: organization.id, name: organization.name },
    counts,
    files: listed,
  });
}

function lines(name: string, values: unknown[]): ArchiveFile {
  return { name, content: Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join("")) };
}

/** The trials of an agent, newest first. */
async function* trialsOf(trials: Pick<Trials, "list">, agentId: string): AsyncGenerator<Trial> {
  for (let after: Pick<Trial, "createdAt" | "id"> | undefined, more = true; more;) {
    const page = await trials.list({ agentId, limit: 100, ...(after && { after }) });
    yield* page.trials;
    after = page.next;
    more = after !== undefined;
  }
}

/** Newest first. Entries of earlier releases, which name no organization, are missing. */
async function* auditPages(
  { accounts }: Pick<Stores, "accounts">,
  organizationId: string,
  now: number,
): AsyncGenerator<AuditEntry[]> {
  for (let until = now + 1; ;) {
    const page = await accounts.listAudit({ since: 0, until, organizations: [organizationId], limit: pageSize });
    const last = page.at(-1);
    if (!last) return;
    // The next page begins with the time of the last entry again, unless all entries have this time.
    const whole = page.length < pageSize ? page : page.filter(({ at }) => at !== last.at);
    if (whole.length === 0) throw new Error(`more than ${pageSize} audit entries have the time ${last.at}`);
    yield whole;
    if (page.length < pageSize) return;
    until = last.at + 1;
  }
}

/** The id of an action on a key is the hash of the key. */
function withoutKeyHash<Entry extends { action: string; id: string }>(entry: Entry): Entry {
  return entry.action.startsWith("key.") ? { ...entry, id: entry.id.slice(0, 8) } : entry;
}
