import type { TurnRequest } from "../agent/turn/call-model.ts";
import { foldEntry, startProgress } from "../agent/turn/journal.ts";
import { recordedRequest } from "../agent/turn/recorded-request.ts";
import { ServiceError } from "../errors.ts";
import { conversation, summaryIn } from "./conversation.ts";
import { journalOf } from "./list-events.ts";
import type { Stores } from "./ports.ts";
import { decodeConfiguration, referenceIn, type TurnConfiguration } from "./turn-configuration.ts";
import type { RunJournalEntry, TranscriptMessage } from "./types.ts";

/** The request of a recorded model call, and what its turn ran on. */
export interface RebuiltRequest {
  request: TurnRequest;
  configuration: TurnConfiguration;
  /** Hash of the configuration. */
  hash: string;
}

/**
 * Rebuilds the request that the model was sent in a step of a run. Attachments have the SHA-256 of their content, which
 * the run's workspace holds.
 * `unknown`: why it cannot be rebuilt, as a sentence. Throws if the run has no such step.
 */
export async function rebuildRequest(
  { runs, configurations }: Pick<Stores, "runs" | "configurations">,
  runId: string,
  { turn, step }: { turn: number; step: number },
): Promise<RebuiltRequest | { unknown: string }> {
  const [found, journal] = await Promise.all([runs.read(runId), journalOf({ runs }, runId)]);
  const entries = journal.filter((entry) => entry.turn === turn);
  const index = entries.findIndex((entry) => entry.step === step && isModelCall(entry));
  const entry = entries[index];
  if (!found || !entry || !isModelCall(entry)) {
    throw new ServiceError("step_not_found", `run ${runId} has no answer in turn ${turn}, step ${step}`);
  }
  const reference = referenceIn(entries.slice(0, index + 1));
  if (!reference) return { unknown: "An earlier release recorded this step, without its configuration." };
  const text = await configurations.get(found.run.agentId, reference.configuration);
  if (text === undefined) return { unknown: "The configuration of the turn is missing from the store." };

  const configuration = decodeConfiguration(text);
  const offered = configuration.offered.map(({ name, description, input }) => ({ name, description, input }));
  const summary = summaryIn(journal.filter((each) => each.turn < turn));
  const history = conversation({ transcript: throughInput(found.transcript, turn), ...(summary && { summary }) });
  const before = entries.slice(0, index).reduce(foldEntry, startProgress(history));
  const request = recordedRequest(entry, before, { ...configuration.agent, offered });
  return { request, configuration, hash: reference.configuration };
}

type ModelCallEntry = Extract<RunJournalEntry, { part: "answer" | "summary" }>;

function isModelCall(entry: RunJournalEntry): entry is ModelCallEntry {
  return entry.part === "answer" || entry.part === "summary";
}

/** The transcript up to the input of a turn. */
function throughInput(transcript: TranscriptMessage[], turn: number): TranscriptMessage[] {
  let inputs = 0;
  const end = transcript.findIndex(({ role }) => role === "input_to_agent" && ++inputs === turn);
  return transcript.slice(0, end + 1);
}
