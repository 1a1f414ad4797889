import type { McpServer } from "@modelcontextprotocol/server";
import { base64Uploads } from "../../http/validation/base64-files.ts";
import { ServiceError } from "../../errors.ts";
import { log } from "../../log.ts";
import { createRun } from "../../runs/create-run.ts";
import { idempotencyOf } from "../../runs/idempotency.ts";
import { newRunLimits } from "../../runs/new-run-limits.ts";
import { requireFileCount } from "../../runs/files/new-files.ts";
import type { Upload } from "../../runs/files/uploads.ts";
import type { McpCall } from "../deps.ts";
import { uploadsAdvice } from "../errors.ts";
import { declaresTasks, newTask } from "../tasks.ts";
import { inputSchema, outputSchema } from "../standard-schema.ts";
import type { Inputs } from "./inputs.ts";
import { startedRun } from "./outputs.ts";
import { guarded, startedResult } from "./tool.ts";

type NewFile = Inputs["start_run"]["files"][number];

/** `start_run`; `listed`: to list it. Returns a task to a client that declares the Tasks extension, otherwise the id of the run. */
export function registerStartRun(
  server: McpServer,
  call: McpCall,
  { agentName, resultSchema, listed }: { agentName: string; resultSchema: object | undefined; listed: boolean },
): void {
  const { named } = call;
  server.registerTool(
    named("start_run"),
    {
      title: "Start a run",
      description:
        `Starts a run of the agent ${JSON.stringify(agentName)} and returns its run_id at once; then call ${named("wait_for_run")}. ` +
        "The agent sees only input_text and the files, not this conversation. Each call starts and costs a new run, unless it " +
        `repeats an idempotency_key. Accepts ${newRunLimits.files} files, with ${sizeText(call.inlineBytes)} in total. ${uploadsAdvice}`,
      inputSchema: inputSchema("start_run", call),
      // Of a call that is answered with a task, the SDK would require structured content.
      ...(listed && { outputSchema: outputSchema(startedRun(resultSchema)) }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    guarded(call, async ({ idempotency_key: key, ...body }) => {
      const { name, input_text, files, uploads } = body;
      requireFileCount(files.length + uploads.length);
      const { id, replayed } = await createRun(call, call.principal, {
        name,
        text: input_text,
        files: files.map(uploadOf),
        uploads,
        ...(key !== undefined && { idempotency: idempotencyOf(key, body) }),
      });
      if (!replayed) log("info", "run created", { requestId: call.requestId, runId: id });
      return declaresTasks(server) ? newTask(call, id) : startedResult(id, call);
    }),
  );
}

function uploadOf({ filename, text, content_base64 }: NewFile): Upload {
  if ((text === undefined) === (content_base64 === undefined)) {
    const message = `file ${JSON.stringify(filename)}: give either text or content_base64`;
    throw new ServiceError("invalid_argument", message);
  }
  if (text !== undefined) return { name: filename, content: () => Buffer.from(text) };
  const [upload] = base64Uploads([{ filename, content_base64: content_base64 ?? "" }]);
  if (!upload) throw new Error("one file is one upload");
  return upload;
}

function sizeText(bytes: number): string {
  return `${Number((bytes / 1024 / 1024).toFixed(1))} MiB`;
}
