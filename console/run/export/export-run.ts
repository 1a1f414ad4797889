import { readBundle } from "../../bundles/bundle-calls.ts";
import { saveBlob } from "../../ui/save-blob.ts";
import type { RunReader, RunDetail } from "../api.ts";
import type { RunEvent } from "../../api/types.ts";
import type { ExportFormat } from "./export-formats.ts";
import { markdownOf } from "./markdown.ts";

/**
 * Saves the run with all its texts, whole, as one file; as a `bundle` with what its turns ran on and its files. Rejects with an
 * `Error` for people.
 */
export async function exportRun(api: RunReader, detail: RunDetail, format: ExportFormat | "bundle"): Promise<void> {
  if (format === "bundle") {
    saveBlob(await readBundle(detail.id), `run-${detail.id}.zip`);
    return;
  }
  const events: RunEvent[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: Awaited<ReturnType<RunReader["wholeEvents"]>> = await api.wholeEvents(after);
    events.push(...page.data);
    after = page.next === null ? undefined : Number(page.next);
  }
  const name = `run-${detail.id}`;
  if (format === "Markdown") {
    saveBlob(new Blob([markdownOf(detail, events)], { type: "text/markdown" }), `${name}.md`);
    return;
  }
  const files = await api.files(undefined);
  saveBlob(
    new Blob([JSON.stringify({ run: detail, events, files }, null, 2)], { type: "application/json" }),
    `${name}.json`,
  );
}
