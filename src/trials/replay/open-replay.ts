import type { Model } from "../../agent/model.ts";
import { type CallRecord, LeftTheRecord, replayed } from "../../agent/tools/recorded.ts";
import { definitionOf, errorOutput, type OfferedTool, type Tool } from "../../agent/tools/tool.ts";
import { notedTools } from "../../agent/turn/noted-tools.ts";
import type { TurnConfiguration } from "../../runs/turn-configuration.ts";
import type { Run, RunJournalEntry } from "../../runs/types.ts";
import { callRecord } from "../recorded-calls.ts";
import { recordedModel } from "./recorded-model.ts";

/** What a replayed turn has in place of a model and tools. */
export interface RecordedTurn {
  /** Answers with what is recorded, and records the hash of the request that it gets. */
  model: Model;
  /** As they were offered, with those that a note said could not be used. Calls return what is recorded. */
  tools: Tool[];
  /** The same with what is recorded of their effects. */
  offered: Tool[];
}

/** Opens the record of a turn for its replay. `own`: what the replay has recorded so far. `run`: the recorded one. */
export function openReplay(
  run: Run,
  entries: RunJournalEntry[],
  configuration: TurnConfiguration,
  own: RunJournalEntry[],
): RecordedTurn {
  const note = entries.find((entry) => entry.part === "answer")?.note;
  const offered = recordedTools(configuration.offered, note, callRecord(entries, own));
  return {
    model: recordedModel(run, entries, configuration, own),
    offered,
    // A call has no effect here, so none is left open by a crash.
    tools: offered.map(({ hasEffects: _effects, ...tool }) => tool),
  };
}

function recordedTools(offered: OfferedTool[], note: string | undefined, record: CallRecord): Tool[] {
  const noted = notedTools(note);
  const tools = offered.map((each): Tool => {
    const { name, description: _, input: __, ...more } = each;
    const replaced = noted.find((tool) => tool.definition.name === name)?.replaced;
    return {
      ...more,
      definition: definitionOf(each),
      ...(replaced !== undefined && { replaced }),
      async run(input, context) {
        const found = record.next(context.call ?? { name, input });
        if (!found) throw new LeftTheRecord(name);
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
