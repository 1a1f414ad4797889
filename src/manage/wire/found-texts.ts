import { timeOf } from "../../http/rest/wire/time.ts";
import type { FoundText, FoundTexts } from "../../runs/read/search-texts.ts";
import type { Schemas } from "../call.ts";
import { wireRun } from "./run.ts";

export function wireFoundTexts({ runs, more, searched, since, complete }: FoundTexts): Schemas["FoundTexts"] {
  return {
    data: runs.map(({ run, texts, more: hasMore }) => ({
      run: wireRun(run),
      texts: texts.map(wireText),
      more: hasMore,
    })),
    more,
    searched_runs: searched,
    since: timeOf(since),
    complete,
  };
}

function wireText({ kind, turn, step, call, tool, sequence, excerpt }: FoundText): Schemas["FoundText"] {
  return {
    kind,
    turn,
    step: step ?? null,
    call: call ?? null,
    tool: tool ?? null,
    sequence: sequence ?? null,
    excerpt,
  };
}
