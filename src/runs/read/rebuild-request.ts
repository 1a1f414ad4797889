import type { TurnRequest } from "../../agent/turn/call-model.ts";
import { foldEntry, startProgress } from "../../agent/turn/journal.ts";
import { recordedRequest } from "../../agent/turn/recorded-request.ts";
import { ServiceError } from "../../errors.ts";
import { conversation, summaryIn } from "./conversation.ts";
import { eventsOf } from "./list-events.ts";
import type { Runs, Stores } from "../ports.ts";
import { decodeConfiguration, referenceIn, type TurnConfiguration } from "../turn-configuration.ts";
import type { RunJournalEntry, Summary, TranscriptMessage } from "../types.ts";

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
  const [run, { transcript, entries, summary }] = await Promise.all([
    runs.head(runId),
    recordOf({ runs }, runId, turn),
  ]);
  const index = entries.findIndex((entry) => entry.step === step && isModelCall(entry));
  const entry = entries[index];
  if (!run || !entry || !isModelCall(entry)) {
    throw new ServiceError("step_not_found", `run ${runId} has no answer in turn ${turn}, step ${step}`);
  }
  const reference = referenceIn(entries.slice(0, index + 1));
  if (!reference) return { unknown: "An earlier release recorded this step, without its configuration." };
  const text = await configurations.get(run.agentId, reference.configuration);
  if (text === undefined) return { unknown: "The configuration of the turn is missing from the store." };

  const configuration = decodeConfiguration(text);
  const offered = configuration.offered.map(({ name, description, input }) => ({ name, description, input }));
  const history = conversation({ transcript, ...(summary && { summary }) });
  const before = entries.slice(0, index).reduce(foldEntry, startProgress(history));
  const request = recordedRequest(entry, before, { ...configuration.agent, offered });
  return { request, configuration, hash: reference.configuration };
}

type ModelCallEntry = Extract<RunJournalEntry, { part: "answer" | "summary" }>;

function isModelCall(entry: RunJournalEntry): entry is ModelCallEntry {
  return entry.part === "answer" || entry.part === "summary";
}

/** The events that requests of a turn are made of. */
interface TurnRecord {
  /** Up to the turn's input. */
  transcript: TranscriptMessage[];
  entries: RunJournalEntry[];
  /** The last one of earlier turns. */
  summary?: Summary;
}

/** Reads the events of a run up to the end of a turn. Of the journals of earlier turns, it keeps the summary alone. */
async function recordOf(deps: { runs: Runs }, runId: string, turn: number): Promise<TurnRecord> {
  const record: TurnRecord = { transcript: [], entries: [] };
  for await (const event of eventsOf(deps, runId)) {
    if (event.turn > turn) break;
    if ("role" in event) {
      const { role, text } = event;
      if (event.turn < turn || role === "input_to_agent") record.transcript.push({ role, text });
    } else if (event.turn === turn) record.entries.push(event);
    else {
      const summary = summaryIn([event]);
      if (summary) record.summary = summary;
    }
  }
  return record;
}
