import { hash } from "node:crypto";
import { withServerInstructions } from "../../src/agent/mcp/instructions.ts";
import type { Model } from "../../src/agent/model.ts";
import { wireRequest } from "../../src/agent/models/wire-request.ts";
import { replayed } from "../../src/agent/tools/recorded.ts";
import { definitionOf, errorOutput, type OfferedTool, type Tool } from "../../src/agent/tools/tool.ts";
import type { AnswerEntry, SummaryEntry } from "../../src/agent/turn/journal.ts";
import { defaultFileVersions } from "../../src/agent/turn/files/manifest.ts";
import { runTurn } from "../../src/agent/turn/run-turn.ts";
import { readMemory } from "../../src/agent/turn/history/summary-text.ts";
import { turnFiles } from "../../src/agent/turn/files/turn-files.ts";
import type { LocalPlatform } from "../../src/platform/local/open-platform.ts";
import { findRunHead } from "../../src/runs/read/find-run.ts";
import { listRunFiles } from "../../src/runs/files/read-files.ts";
import { turnRecord } from "../../src/runs/read/turn-record.ts";
import {
  decodeConfiguration,
  modelAsked,
  referenceIn,
  type TurnConfiguration,
} from "../../src/runs/turn-configuration.ts";
import type { RunJournalEntry } from "../../src/runs/run-types.ts";
import { callRecord } from "../../src/trials/cases/recorded-calls.ts";
import { askedModel } from "../../src/workflow/open-models.ts";
import { turnInput } from "../../src/workflow/turn-input.ts";
import { notedTools } from "./noted-tools.ts";

/** How a turn goes when this engine takes it anew. `requests`: by step, whether the body is the recorded one, byte for byte. */
interface ReplayedTurn {
  requests: [step: string, same: boolean][];
  recorded: { output: string | undefined; calls: number };
  output: string;
}

/** Takes a turn of an imported run anew with its recorded answers and results. Nothing is called. */
export async function replayedTurn(stores: LocalPlatform, runId: string, turn: number): Promise<ReplayedTurn> {
  const run = await findRunHead(stores.runs, runId);
  const { transcript, entries, summary, output } = await turnRecord(stores, runId, turn);
  const { configuration: name = "" } = referenceIn(entries) ?? {};
  const configuration = decodeConfiguration((await stores.configurations.get(run.agentId, name)) ?? "");
  const { files: before } = await listRunFiles(stores, runId, { turn, step: 0 });
  const requests: ReplayedTurn["requests"] = [];
  const model = recordedModel(entries, configuration, run.imported?.runId ?? runId, (...each) => requests.push(each));
  const tools = recordedTools(configuration.offered, entries);
  const { used: _used, ...head } = run;
  const { prices: _prices, ...agent } = configuration.agent;
  const { prices: __, ...asked } = askedModel(modelAsked(configuration, false));
  const state = { run: { ...head, turn }, journal: [], transcript, queue: [], ...(summary && { summary }) };
  const input = turnInput(state, agent, { asked, offered: configuration.offered }, { deadline: Infinity });
  const written = new Map<string, Uint8Array>();
  const { signal } = new AbortController();
  const files = turnFiles({
    contents: {
      read: async (sha256) => written.get(sha256) ?? stores.workspace.read(runId, sha256),
      write: async (sha256, content) => void written.set(sha256, content),
      remove: async () => {},
    },
    atStart: () => before,
    changes: [],
    pinned: [],
    keep: defaultFileVersions,
    signal,
  });
  const outcome = await runTurn(
    { ...input, startedAt: Date.now() },
    { model, tools, files, now: Date.now, date: Date.now, signal, record: async () => true, emit: () => {} },
  );
  const recorded = { output, calls: callsIn(entries).length };
  return { requests, recorded, output: outcome.kind === "done" ? outcome.text : JSON.stringify(outcome) };
}

function callsIn(entries: RunJournalEntry[]) {
  return entries.filter((entry): entry is RunJournalEntry & (AnswerEntry | SummaryEntry) =>
    ["answer", "summary"].includes(entry.part),
  );
}

/** A model that answers with what is recorded, in its order. */
function recordedModel(
  entries: RunJournalEntry[],
  configuration: TurnConfiguration,
  cacheKey: string,
  compared: (step: string, same: boolean) => void,
): Model {
  const left = callsIn(entries);
  const instructions = withServerInstructions(configuration.agent.instructions, configuration.offered);
  const { provider, choice } = modelAsked(configuration, false);
  return async (request) => {
    const call = left.shift();
    const kind = request.instructions === instructions ? "answer" : "summary";
    if (!provider || call?.part !== kind) throw new Error(`the engine asks for ${kind}, the record has ${call?.part}`);
    const sent = call.sent?.at(-1);
    const form = sent ? { ...sent, compat: sent.compat ?? {} } : {};
    const body = (await wireRequest(provider, choice.model, { ...request, cacheKey }, form))?.body ?? "";
    compared(`${call.turn}.${call.step}`, hash("sha256", body) === sent?.sha256);
    if (call.part === "answer")
      return { answer: call.answer, ...(call.window !== undefined && { contextWindow: call.window }) };
    const text = readMemory(call.text).summary;
    return { answer: { text, toolCalls: [], finishReason: "stop", usage: call.usage } };
  };
}

/** The tools as they were offered, and those that a note said could not be used. Calls return what is recorded. */
function recordedTools(offered: OfferedTool[], entries: RunJournalEntry[]): Tool[] {
  const record = callRecord(entries, []);
  const noted = notedTools(entries.find((entry) => entry.part === "answer")?.note);
  const tools = offered.map((each): Tool => {
    const { name, description: _, input: __, hasEffects: _effects, ...more } = each;
    const replaced = noted.find((tool) => tool.definition.name === name)?.replaced;
    return {
      ...more,
      definition: definitionOf(each),
      ...(replaced !== undefined && { replaced }),
      async run(input, context) {
        const found = record.next(context.call ?? { name, input });
        if (!found) throw new Error(`the record has no answer to a call of ${name}`);
        return replayed(found, context);
      },
    };
  });
  const unavailable = noted.filter((tool) => tool.unavailable !== undefined);
  return [
    ...tools,
    ...unavailable.map(({ definition: { name }, unavailable: reason = "" }) => ({
      definition: { name, description: "", input: {} },
      unavailable: reason,
      run: async () => errorOutput(reason),
    })),
  ];
}
