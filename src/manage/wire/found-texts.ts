import { timeOf } from "../../http/rest/wire/time.ts";
import type { FoundTexts } from "../../runs/read/search/search-texts.ts";
import type { Schemas } from "../call.ts";
import { wire } from "./by-schema.ts";
import { wireRun } from "./run.ts";

export function wireFoundTexts({ runs, more, searched, since, complete }: FoundTexts): Schemas["FoundTexts"] {
  const data = runs.map((found) => ({
    run: wireRun(found.run),
    texts: found.texts.map((text) => wire("FoundText", text)),
    more: found.more,
  }));
  return { data, more, searched_runs: searched, since: timeOf(since), complete };
}
