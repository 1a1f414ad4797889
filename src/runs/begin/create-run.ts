import { requireActive } from "../../accounts/agents/agents.ts";
import { type Actor, along } from "../../accounts/audit.ts";
import { type Starter, starterOf } from "../../accounts/starter.ts";
import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import { modelConfigurationOf } from "../../accounts/model-configurations.ts";
import { requireModelsRunning } from "../../accounts/model-stop.ts";
import type { Secrets } from "../../agent/secret.ts";
import { settleAll } from "../../async/settle-all.ts";
import { log } from "../../log.ts";
import { StoreUnavailable } from "../../errors.ts";
import {
  deleteNewFiles,
  type GivenFiles,
  manifestOfNew,
  type NewFile,
  readNewFiles,
  storeNewFiles,
} from "../files/new-files.ts";
import type { Stores, Workflow } from "../ports.ts";
import { createWithSlot } from "../admission.ts";
import { beginRun, given } from "./begin.ts";
import { type ChosenSettings, requireChoosable } from "./chosen-settings.ts";
import { stamped } from "../events.ts";
import { replayCreate } from "./idempotency.ts";
import type { Labels } from "../labels.ts";
import { quotasOf } from "../quotas.ts";
import { requireModel } from "./require-model.ts";
import { transitions } from "../status.ts";
import { bytesOfFiles, requireStorage, storageLimits } from "../files/stored-bytes.ts";
import { failTurn, notStarted, startTurn } from "../turn-writes.ts";
import type { Idempotency, KeptCreate, Quotas, Run, RunOwner, TurnMessage } from "../run-types.ts";
import type { WebhookUrlRules } from "../../accounts/webhook-url.ts";
import { type OwnSchema, requireSchemaAllowed, storeSchema } from "./result-schema.ts";
import { webhookTarget } from "./webhook-target.ts";

export interface CreateRunDeps extends Stores, Pick<Secrets, "secretRefusal"> {
  workflow: Workflow;
  now: () => number;
  /** Addresses of the URLs of webhooks that accept private ones. Default: `private`. */
  addresses?: WebhookUrlRules["addresses"];
  /** The operator, for the audit. Absent: a client with an API key. */
  actor?: Actor;
}

/** What a run begins with. Callers check lengths and the number of files (`newRunLimits`), in the way of their interface. */
export interface NewRun extends GivenFiles {
  name: string;
  /** The first input. Absent: the run is idle until it gets one. */
  text?: string | undefined;
  labels?: Labels | undefined;
  /** The run's own URL. Absent: the agent's webhook, if it has one. */
  webhook?: { url: string } | undefined;
  /** Schema of its results, in place of the agent's. */
  resultSchema?: OwnSchema | undefined;
  /** A model and limits for the run, as the agent allows. */
  chosen?: ChosenSettings | undefined;
  /** From `idempotencyOf`. Absent: each call creates a run. */
  idempotency?: Idempotency | undefined;
}

/**
 * `files`: those of the create, in its order. `replayed`: the run is that of an earlier create with the same idempotency key.
 */
export interface CreatedRun {
  id: string;
  files: FileVersion[];
  replayed: boolean;
}

/** Whose run is created. `starter`: of a client with an API key. */
type Creator = RunOwner & { starter?: Starter };

/**
 * Creates a run of an agent and starts its first turn, or lets it wait for a slot. Resolves when files, run and start are
 * durable. Rejects with the first of: idempotency key of another body, agent deleted or archived, invalid files, a model or limits that
 * the agent does not allow, no usable model, no webhook or an invalid URL, a schema that the agent does not allow or that cannot be
 * used, quotas.
 *
 * A create that fails stores no run, or ends it. With an idempotency key, it may leave a run that has not started: a
 * repetition starts it, and the sweep ends it otherwise.
 */
export async function createRun(deps: CreateRunDeps, creator: Creator, input: NewRun): Promise<CreatedRun> {
  const { idempotency } = input;
  const kept = idempotency && (await deps.runs.findCreated(creator.agentId, idempotency.key));
  if (idempotency && kept) return replayCreate(deps, kept, idempotency, hasFiles(input));
  const startedBy = starterOf(deps.actor, creator.starter);
  const run = newRun({ ...creator, ...(startedBy && { startedBy }) }, input, deps.now());
  const { id, turn } = run;
  const stored = await storeRun(deps, run, input);
  if (idempotency && "replayed" in stored) return replayCreate(deps, stored.replayed, idempotency, hasFiles(input));
  if (turn === 1 && "waiting" in stored && !stored.waiting) {
    await (idempotency ? deps.workflow.start(id, turn, run) : startTurn(deps, run, turn));
  }
  return { id, files: "files" in stored ? stored.files : [], replayed: false };
}

function hasFiles({ files = [], uploads = [] }: GivenFiles): boolean {
  return files.length + uploads.length > 0;
}

/** Stores a run with its files. Resolves with them and whether it waits for a slot, or with the earlier create of its key. */
async function storeRun(
  deps: CreateRunDeps,
  run: Run,
  input: NewRun,
): Promise<{ waiting: boolean; files: FileVersion[] } | { replayed: KeptCreate }> {
  const { id, agentId, organizationId, createdAt } = run;
  const files = hasFiles(input) ? readNewFiles(deps, agentId, input) : undefined; // in parallel with the look-ups
  let storing = false;
  try {
    // In parallel, which saves a round trip. A rejected create therefore has files to delete.
    const { webhook: own, resultSchema: schema, chosen } = input;
    const preconditions = checkPreconditions(deps, run, { files, url: own?.url, schema, chosen });
    if (files) await settleAll<unknown>([preconditions, files.then((read) => storeNewFiles(deps, id, read))]);
    const { quotas, agentVersion, webhook } = await preconditions;
    const resultSchema = schema && (await storeSchema(deps.configurations, agentId, schema.schema));
    const messages = stamped(inputMessages(input.text, agentVersion), { sequence: 0, at: createdAt });
    const uploads = files ? manifestOfNew(await files) : [];
    const { idempotency } = input;
    const audited = along(deps.actor, "run.create", id, createdAt, { organizationId });
    const more = { uploads, ...(idempotency && { idempotency }), ...audited };
    storing = true;
    const reported: Run = { ...run, ...given({ webhook, resultSchema }) };
    const outcome =
      quotas && run.turn === 1
        ? await createWithSlot(deps, reported, { messages, ...more }, quotas)
        : await deps.runs.create(reported, messages, more);
    if (typeof outcome === "string") return { waiting: false, files: uploads };
    if (!("replayed" in outcome)) return { ...outcome, files: uploads };
    if (files) await deleteNewFiles(deps.workspace, id, files);
    return outcome;
  } catch (error) {
    if (storing && mayBeStored(error)) {
      if (!input.idempotency) await endIfStored(deps, run);
    } else if (files) {
      await deleteNewFiles(deps.workspace, id, files);
    }
    throw error;
  }
}

function newRun(creator: RunOwner & Pick<Run, "startedBy">, { name, text, labels, chosen }: NewRun, now: number): Run {
  const { agentId, organizationId, startedBy } = creator;
  const inputs = text === undefined ? 0 : 1;
  const { to: status } = inputs === 1 ? transitions.createdWithInput : transitions.createdIdle;
  const ofClient = { labels: labels && Object.keys(labels).length > 0 ? labels : undefined, startedBy, chosen };
  return beginRun({ agentId, organizationId, name, status, turn: inputs, sequence: inputs, ...ofClient }, now);
}

function inputMessages(text: string | undefined, agentVersion: number | undefined): TurnMessage[] {
  if (text === undefined) return [];
  return [{ turn: 1, role: "input_to_agent", text, ...(agentVersion !== undefined && { agentVersion }) }];
}

/** What the agent, its organization and its webhook give a new run. */
interface Preconditions extends Pick<Run, "webhook"> {
  quotas?: Quotas;
  agentVersion?: number;
}

/** What a run brings of its own. */
interface OwnSettings extends Pick<NewRun, "chosen"> {
  /** Absent: it has none. */
  files: Promise<NewFile[]> | undefined;
  url: string | undefined;
  schema: OwnSchema | undefined;
}

/** Checks agent, files, choices, model, webhook and schema in this order; throws the first failure. */
async function checkPreconditions(
  {
    accounts,
    runs,
    secretRefusal,
    addresses,
  }: Pick<CreateRunDeps, "accounts" | "runs" | "secretRefusal" | "addresses">,
  { agentId, organizationId }: RunOwner,
  { files, url, schema, chosen }: OwnSettings,
): Promise<Preconditions> {
  const [found, organization, state] = await Promise.all([
    accounts.findAgent(agentId),
    accounts.findOrganization(organizationId),
    accounts.findWebhookState(agentId),
  ]);
  const agent = requireActive(found, "create runs");
  const sent = files && (await files);
  const { modelConfiguration: named } = chosen ? requireChoosable(agent, chosen) : agent;
  requireModelsRunning(organization);
  requireModel({ secretRefusal }, organizationId, modelConfigurationOf(organization, named), named);
  const quotas = quotasOf(agent, organization);
  const webhook = webhookTarget(url, state, addresses);
  if (schema) {
    requireSchemaAllowed(agent);
    await schema.check(schema.schema);
  }
  if (sent) {
    const limits = storageLimits(agent, organization);
    await requireStorage(runs, { agentId, organizationId }, { limits, bytes: bytesOfFiles(sent) });
  }
  return {
    ...(quotas && { quotas }),
    ...(agent.version !== undefined && { agentVersion: agent.version }),
    ...(webhook !== undefined && { webhook }),
  };
}

/** Whether the run may exist although the store reported `error`: the response of a write can be lost. */
function mayBeStored(error: unknown): boolean {
  return error instanceof StoreUnavailable && !error.unchanged;
}

/**
 * Ends the run of a failed create, if it exists: a run that waits would start later, without a client that knows it. Its
 * files are kept in case that fails, too, and expire.
 */
async function endIfStored(deps: CreateRunDeps, { id: runId, turn }: Run): Promise<void> {
  if (turn === 0) return; // idle: nothing starts it
  await failTurn(deps, { runId, turn }, notStarted).catch((error: unknown) => {
    log("error", "it is unknown whether the run of a failed create exists; if it waits for a slot, it will start", {
      runId,
      error,
    });
  });
}
