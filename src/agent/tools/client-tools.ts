import { sentSchema } from "./sent-schema.ts";
import type { ToolDefinition } from "../model.ts";
import { askPerson } from "./definitions.ts";
import { builtInTool, errorOutput, type Tool } from "./tool.ts";

/** Tools that the programs of callers run. Calls wait for their answers. */
export function clientTools(definitions: ToolDefinition[] = []): Tool[] {
  return definitions.map(({ input, ...definition }) => ({
    definition: { ...definition, input: sentSchema(input) },
    asks: "client_tool",
    run: notHere,
  }));
}

/** The tool with which the model asks a person. */
export const askPersonTool: Tool = { ...builtInTool(askPerson, notHere), asks: "question" };

/** Answers are results: neither tool runs in this service. */
async function notHere() {
  return errorOutput("This call has no answer.");
}
