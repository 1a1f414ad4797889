import { resultSchemaOf } from "../../accounts/agents/definition.ts";
import { withServerInstructions } from "../../agent/mcp/instructions.ts";
import type { TurnRequest } from "../../agent/turn/request-answer.ts";
import { foldEntry, type RecordedExchange, startProgress } from "../../agent/turn/journal.ts";
import { recordedRequest } from "../../agent/turn/recorded-request.ts";
import { ServiceError } from "../../errors.ts";
import { conversation } from "./conversation.ts";
import { turnRecord } from "./turn-record.ts";
import type { Stores } from "../ports.ts";
import {
  type ConfiguredModel,
  decodeConfiguration,
  modelAsked,
  referenceIn,
  type TurnConfiguration,
} from "../turn-configuration.ts";
import type { RunJournalEntry } from "../run-types.ts";

/** The request of a recorded model call, and what its turn ran on. */
export interface RebuiltRequest {
  request: TurnRequest;
  configuration: TurnConfiguration;
  /** The model of the configuration that was asked. */
  asked: ConfiguredModel;
  /** Hash of the configuration. */
  hash: string;
  /** The HTTP requests of the call and what the provider says about its response. */
  exchange: RecordedExchange;
  /** The failed attempts of the step, oldest first. */
  failed: RecordedFailure[];
}

type RecordedFailure = Extract<RunJournalEntry, { part: "failed" }>;

/**
 * Rebuilds the request that the model was sent in a step of a run: that of its answer or summary, or else of its last failed
 * call. Attachments have the SHA-256 of their content, which the run's workspace holds.
 * `unknown`: why it cannot be rebuilt, as a sentence. Throws if the run has no such step.
 */
export async function rebuildRequest(
  { runs, configurations }: Pick<Stores, "runs" | "configurations">,
  runId: string,
  { turn, step }: { turn: number; step: number },
): Promise<RebuiltRequest | { unknown: string }> {
  const [run, { transcript, entries, summary }] = await Promise.all([
    runs.head(runId),
    turnRecord({ runs }, runId, turn),
  ]);
  const ofStep = (entry: RunJournalEntry): boolean => entry.step === step && isModelCall(entry);
  const answered = entries.findIndex((entry) => ofStep(entry) && entry.part !== "failed");
  const index = answered === -1 ? entries.findLastIndex(ofStep) : answered;
  const entry = entries[index];
  if (!run || !entry || !isModelCall(entry)) {
    throw new ServiceError("step_not_found", `run ${runId} has no answer in turn ${turn}, step ${step}`);
  }
  if (entries.some(answersAnother)) return { unknown: answersOther };
  const hash = referenceIn(entries.slice(0, index + 1))?.configuration ?? ("tried" in entry ? entry.tried : undefined);
  if (hash === undefined) return { unknown: entry.part === "failed" ? failedUnnamed : oldUnnamed };
  const text = await configurations.get(run.agentId, hash);
  if (text === undefined) return { unknown: "The configuration of the turn is missing from the store." };

  const configuration = decodeConfiguration(text);
  const history = conversation({ transcript, ...(summary && { summary }) });
  const before = entries.slice(0, index).reduce(foldEntry, startProgress(history, turn));
  const { agent, offered } = configuration;
  const instructions = withServerInstructions(agent.instructions, offered);
  const asked = modelAsked(configuration, entry.fallback !== undefined);
  const settings = { ...asked.choice, ...resultSchemaOf(agent), instructions, offered };
  const request = recordedRequest(entry, before, settings);
  const failed = entries
    .slice(0, index + 1)
    .flatMap((each) => (each.step === step && each.part === "failed" ? [each] : []));
  return { request, configuration, asked, hash, exchange: entry, failed };
}

/** Whether the answers of a turn are those to the conversation of another run, as earlier releases could ask for them. */
function answersAnother(entry: RunJournalEntry): boolean {
  return entry.part === "forked" && entry.trial?.["mode"] === "next_step";
}

const answersOther = "A trial of an earlier release asked for this answer, after the conversation of the recorded run.";
const oldUnnamed = "An earlier release recorded this step, without its configuration.";
/** The run was stopped, or its process killed, between two attempts. Only the last attempt of an invocation names it. */
const failedUnnamed = "The step has no answer, and the record of its failed call does not name its configuration.";

type ModelCallEntry = Extract<RunJournalEntry, { part: "answer" | "summary" | "failed" }>;

function isModelCall(entry: RunJournalEntry): entry is ModelCallEntry {
  return entry.part === "answer" || entry.part === "summary" || entry.part === "failed";
}
