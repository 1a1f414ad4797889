import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { base64Uploads } from "../../http/validation/base64-files.ts";
import { log } from "../../log.ts";
import { createRun } from "../../runs/create-run.ts";
import { idempotencyOf } from "../../runs/idempotency.ts";
import { newRunLimits } from "../../runs/new-run-limits.ts";
import type { Upload } from "../../runs/files/uploads.ts";
import type { McpCall } from "../deps.ts";
import { uploadsAdvice } from "../errors.ts";
import { declaresTasks, newTask } from "../tasks.ts";
import { guarded, startedResult } from "./tool.ts";

const { nameLength, files: maxFiles, filenameLength } = newRunLimits;

const newFile = z
  .strictObject({
    filename: z.string().max(filenameLength),
    text: z.string().optional().describe("Content of a text file."),
    content_base64: z.string().optional().describe("Content of any other file, as standard base64."),
  })
  .refine((file) => (file.text === undefined) !== (file.content_base64 === undefined), {
    message: "Give either text or content_base64",
  });

type NewFile = z.infer<typeof newFile>;

const startInput = z
  .strictObject({
    name: z.string().min(1).max(nameLength).describe("Short title for people."),
    input_text: z.string().describe("The task, with everything that the agent has to know."),
    files: z.array(newFile).default([]),
    uploads: z.array(z.string()).default([]).describe("Ids of files that were uploaded before."),
    idempotency_key: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("A unique text. Repeating the same call with it returns the same run, for when no answer came."),
  })
  .refine(({ files, uploads }) => files.length + uploads.length <= maxFiles, {
    message: `files and uploads may have at most ${maxFiles} items in total`,
  });

/** `start_run`. Returns a task to a client that declares the Tasks extension, otherwise the id of the run. */
export function registerStartRun(server: McpServer, call: McpCall, agentName: string): void {
  server.registerTool(
    "start_run",
    {
      title: "Start a run",
      description:
        `Starts a run of the agent ${JSON.stringify(agentName)} and returns its run_id at once; then call wait_for_run. ` +
        "The agent sees only input_text and the files, not this conversation. Each call starts and costs a new run, unless it " +
        `repeats an idempotency_key. Accepts ${maxFiles} files, with ${sizeText(call.inlineBytes)} in sum. ${uploadsAdvice}`,
      inputSchema: startInput,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    guarded(call, async ({ idempotency_key: key, ...body }) => {
      const { name, input_text, files, uploads } = body;
      const { id, replayed } = await createRun(call, call.principal, {
        name,
        text: input_text,
        files: files.map(uploadOf),
        uploads,
        ...(key !== undefined && { idempotency: idempotencyOf(key, body) }),
      });
      if (!replayed) log("info", "run created", { requestId: call.requestId, runId: id });
      return declaresTasks(server) ? newTask(call, id) : startedResult(id);
    }),
  );
}

function uploadOf({ filename, text, content_base64 = "" }: NewFile): Upload {
  if (text !== undefined) return { name: filename, content: () => Buffer.from(text) };
  const [upload] = base64Uploads([{ filename, content_base64 }]);
  if (!upload) throw new Error("one file is one upload");
  return upload;
}

function sizeText(bytes: number): string {
  return `${Number((bytes / 1024 / 1024).toFixed(1))} MiB`;
}
