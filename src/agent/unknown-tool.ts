import type { ToolDefinition } from "./model.ts";

/** Error text for the model when it calls a tool that does not exist. */
export function unknownTool(name: string, tools: ToolDefinition[]): string {
  const names = tools.map((each) => each.name).join(", ") || "none";
  return `There is no tool ${JSON.stringify(name)}. Tools that can be used: ${names}.`;
}
