import type { StoredFile } from "../../sandbox/linux/linux-types.ts";
import type { ToolCall } from "../model.ts";
import { errorOutput, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";

/** What a recorded call returned. */
export interface RecordedOutput {
  output: ToolOutput;
  /** Files that the call wrote. Their contents are in the workspace. */
  written: StoredFile[];
  /** Names of files that it deleted. */
  deleted: string[];
  /** The call was not executed: it was denied, or nobody answered in time. */
  refused: boolean;
}

/** A call with its arguments. */
export type KnownCall = Pick<ToolCall, "name" | "input" | "json" | "sent">;

/** The calls of a recorded turn. */
export interface CallRecord {
  /** The answer to the next call with this name and these arguments. Of n equal calls, the last one gets the n-th answer. */
  next(call: KnownCall): RecordedOutput | undefined;
}

/** What happens to a call that is not in the record. `stop`: it ends the turn. `live`: the tool runs, if it only reads. */
export type MissRule = "stop" | "error" | "live" | { fixed: string };

/** The turn has made a call that its record does not answer. */
export class LeftTheRecord extends Error {
  readonly tool: string;

  constructor(tool: string) {
    super(`the record has no answer to a call of ${tool}`);
    this.tool = tool;
  }
}

/** Whether calls of the tool leave the service, or wait for somebody outside. Other tools work on the files of the run. */
export function isOutside({ definition, origin, asks }: Pick<Tool, "definition" | "origin" | "asks">): boolean {
  return origin !== undefined || definition.name === "web_fetch" || asks === "client_tool" || asks === "question";
}

/** Whether the rule `live` applies to a tool: it leaves the service, and only reads. */
export function canRunLive(tool: Pick<Tool, "definition" | "origin" | "asks" | "hasEffects">): boolean {
  return isOutside(tool) && !tool.hasEffects && !tool.asks;
}

/**
 * The tools of a turn that changes only its own files. Calls that leave the service are answered from the record, and so are
 * approvals. Tools on files run. Nothing waits for an answer.
 */
export function answeredFromRecord(tools: Tool[], record: CallRecord, ruleOf: (tool: string) => MissRule): Tool[] {
  return tools.map((tool) => {
    const { asks, hasEffects: _, ...offered } = tool;
    const outside = isOutside(tool);
    if (!outside && !asks) return tool;
    return {
      ...offered,
      async run(input, context) {
        const problem = tool.check?.(input, context.call?.json);
        if (problem) return problem;
        const found = record.next(context.call ?? { name: tool.definition.name, input });
        if (!found) return missed(tool, ruleOf(tool.definition.name), input, context);
        if (!outside && !found.refused) return tool.run(input, context);
        return replayed(found, context);
      },
    };
  });
}

/** The recorded output, after the changes of files that came with it. */
export async function replayed(
  { output, written, deleted }: RecordedOutput,
  { files }: ToolContext,
): Promise<ToolOutput> {
  if (written.length + deleted.length > 0) {
    await files.update(async () => {
      for (const name of deleted) await files.remove(name);
      for (const file of written) await files.adopt(file);
    });
  }
  return output;
}

async function missed(tool: Tool, rule: MissRule, input: unknown, context: ToolContext): Promise<ToolOutput> {
  const { name } = tool.definition;
  if (typeof rule === "object") return { text: rule.fixed };
  if (rule === "error")
    return errorOutput(`${name} cannot be called in a trial, unless the recorded turn made the same call.`);
  if (rule === "live" && canRunLive(tool)) return tool.run(input, context);
  throw new LeftTheRecord(name);
}
