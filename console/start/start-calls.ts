import { call, send } from "../api/client.ts";
import type { Run } from "../api/types.ts";
import { bodyOf, draftOf } from "../form/body.ts";
import { type Draft, isObject } from "../form/json.ts";
import { choiceFields } from "./choices.tsx";
import { base64 } from "./base64.ts";
import type { StartDraft, StartFile } from "./draft.ts";

/** Starts a run. Files are read and encoded now. */
export async function startRun(agentId: string, draft: StartDraft): Promise<Run> {
  const files = await Promise.all(
    draft.files.map(async ({ name, blob }) => ({
      filename: name,
      content_base64: base64(new Uint8Array(await blob.arrayBuffer())),
    })),
  );
  const body = {
    agent_id: agentId,
    name: nameOf(draft),
    ...(draft.text.trim() !== "" && { input_text: draft.text }),
    ...(files.length > 0 && { files }),
    ...bodyOf(draft.choices, choiceFields),
  };
  return call("create_run", {}, { body });
}

/** The name that was entered, or else the input's first words. */
export function nameOf({ name, text, files }: StartDraft): string {
  if (name.trim() !== "") return name.trim();
  const line = text.trim().split("\n")[0] ?? "";
  const words = line.length > 60 ? `${line.slice(0, 59).replace(/\s+\S*$/, "")}…` : line;
  return words || files[0]?.name || "Run without input";
}

/** Events that are read to find a run's first input: it comes first. */
const firstEvents = 5;

/** The input, name, uploaded files, labels, model and limits of an earlier run. */
export async function draftFrom(runId: string, signal: AbortSignal): Promise<StartDraft> {
  const [run, events, files] = await Promise.all([
    call("get_run", { run_id: runId }, { signal }),
    call("list_events", { run_id: runId, after: 0, limit: firstEvents }, { signal }),
    uploadsOf(runId, signal),
  ]);
  const input = events.data.find((event) => event.type === "input");
  const { model, limits } = run.chosen ?? {};
  const choices = filled(draftOf({ labels: run.labels, model, limits }, choiceFields));
  return { agentId: run.agent_id, name: run.name, text: input?.text ?? "", files, choices };
}

/** Without empty objects, which say nothing. */
function filled(values: Draft): Draft {
  const entries = Object.entries(values).map(
    ([name, value]) => [name, isObject(value) ? filled(value) : value] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => !isObject(value) || Object.keys(value).length > 0));
}

/** The files before the first step: those that came with the create. */
async function uploadsOf(runId: string, signal: AbortSignal): Promise<StartFile[]> {
  const run = { run_id: runId, at: "1.0" };
  const { data } = await call("list_files", run, { signal });
  return Promise.all(
    data.map(async ({ name }) => {
      const blob = await (await send("get_file", { ...run, name }, { signal })).blob();
      return { name, size: blob.size, blob };
    }),
  );
}
