import type { McpServer } from "@modelcontextprotocol/server";
import type { AgentDefinition } from "../../accounts/account-types.ts";
import { ServiceError } from "../../errors.ts";
import type { FileInput } from "../../http/validation/base64-files.ts";
import type { Schema } from "../../json-schema.ts";
import { newRunLimits } from "../../runs/begin/new-run-limits.ts";
import { type McpCall, operationCall } from "../call.ts";
import { uploadsAdvice } from "../mcp-errors.ts";
import { declaresTasks, newTask } from "../tasks.ts";
import { inputSchema, outputSchema } from "../standard-schema.ts";
import { type Inputs, inputs } from "./inputs.ts";
import { startedRun } from "./outputs.ts";
import { guarded, startedResult } from "./tool.ts";

type NewFile = Inputs["start_run"]["files"][number];

/** `start_run`; `listed`: to list it. Returns a task to a client that declares the Tasks extension, otherwise the id of the run. */
export function registerStartRun(
  server: McpServer,
  call: McpCall,
  agent: AgentDefinition | undefined,
  listed: boolean,
): void {
  const { handlers, named } = call;
  server.registerTool(
    named("start_run"),
    {
      title: "Start a run",
      description:
        `Starts a run of the agent ${JSON.stringify(agent?.name ?? "the agent")} and returns its run_id at once; then call ${named("wait_for_run")}. ` +
        "The agent sees only input_text and the files, not this conversation. Each call starts and costs a new run, unless it " +
        `repeats an idempotency_key. Accepts ${newRunLimits.files} files, with ${sizeText(call.inlineBytes)} in total. ${uploadsAdvice}`,
      inputSchema: inputSchema("start_run", call, inputOf(agent)),
      // Of a call that is answered with a task, the SDK would require structured content.
      ...(listed && { outputSchema: outputSchema(startedRun(agent?.result?.schema)) }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    guarded(call, async ({ idempotency_key: key, ...input }) => {
      const body = { ...input, files: input.files.map(fileIn) };
      const { json } = await handlers.create_run(operationCall(call, { path: {}, body, key }));
      return declaresTasks(server) ? newTask(call, json.id) : startedResult(json.id, call);
    }),
  );
}

/**
 * The input as clients list it, which costs tokens in every conversation: without what the agent does not accept, and of
 * objects only their descriptions.
 */
function inputOf({ runModels = [], result }: Partial<AgentDefinition> = {}): Schema {
  const { model, result_schema, ...others } = inputs.start_run.properties;
  const accepted: Record<string, Schema> = {
    ...others,
    ...(runModels.length > 0 && { model: { ...model, enum: runModels.map(({ name }) => name) } }),
    ...(result?.perRun && { result_schema }),
  };
  const listed = Object.entries(accepted).map(([name, { type, description = "", ...more }]) => {
    return [name, type === "object" ? { type, description } : { type, description, ...more }];
  });
  return { ...inputs.start_run, properties: Object.fromEntries(listed) as Record<string, Schema> };
}

function fileIn({ filename, text, content_base64 }: NewFile): FileInput {
  if ((text === undefined) === (content_base64 === undefined)) {
    const message = `file ${JSON.stringify(filename)}: give either text or content_base64`;
    throw new ServiceError("invalid_argument", message);
  }
  return { filename, content_base64: content_base64 ?? Buffer.from(text ?? "").toString("base64") };
}

function sizeText(bytes: number): string {
  return `${Number((bytes / 1024 / 1024).toFixed(1))} MiB`;
}
