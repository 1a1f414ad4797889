import { call } from "../../api/client.ts";
import type { Schemas } from "../../api/types.ts";
import { toolHelp } from "../../tool-help.ts";
import { toolLabel } from "../text/tool-name.tsx";
import { textAt } from "../text/full-texts.ts";
import type { RunDetail } from "../api.ts";
import type { Call, Step } from "../model/run-model-types.ts";
import { formatPlace } from "../selection.ts";
import type { RunView } from "../view.ts";

export type ForkRequest = Schemas["ForkRunRequest"];
export type Run = Schemas["Run"];

/** What the fork can replace. Texts are whole. */
export interface Forkable {
  /** The last step that is copied, 0: none. */
  at: string;
  instructions: string;
  /** Names of all tools that the model was offered. */
  tools: string[];
  model: string;
  /** The input of the turn, before its first step. */
  input: string | undefined;
  /** The calls of the last copied step. */
  results: { call: Call; text: string }[];
}

/** What a person changes. Undefined: it stays as it was. */
export interface Changes {
  name: string;
  model: string;
  instructions?: string | undefined;
  tools?: string[] | undefined;
  input?: string | undefined;
  /** By the index of the call. */
  results: Record<number, string>;
}

/**
 * Reads what the request of a step was made of; of an imported run, what its agent is now. The fork begins anew with this step.
 * Rejects with an `Error` for people.
 */
export async function readForkable({ id: runId, ...run }: RunDetail, view: RunView, step: Step): Promise<Forkable> {
  const { turn } = step;
  const before = step.step - 1;
  const [request, agent, results] = await Promise.all([
    call("get_model_request", { run_id: runId, at: formatPlace(step) }),
    run.imported_from ? call("get_agent", { agent_id: run.agent_id }) : undefined,
    Promise.all((view.model.step(turn, before)?.calls ?? []).map((each) => wholeResult(view, each))),
  ]);
  const input = request.messages.findLast((message) => message.role === "user" && !message.note);
  return {
    at: `${turn}.${before}`,
    instructions: request.instructions,
    tools: request.tools.map(({ name }) => name),
    model: request.model ?? "",
    ...(agent && settingsOf(agent.definition)),
    input: before === 0 && input && "text" in input ? input.text : undefined,
    results,
  };
}

function settingsOf(definition: Schemas["AgentDefinition"]): Pick<Forkable, "instructions" | "tools" | "model"> {
  const { instructions, tools, mcp = [], clientTools = [], model = "" } = definition;
  const others = [...mcp.map(({ name }) => `${name}__*`), ...clientTools.map(({ name }) => name)];
  return { instructions, tools: [...tools, ...others], model };
}

async function wholeResult(view: RunView, each: Call): Promise<{ call: Call; text: string }> {
  const { result = { text: "", length: 0 }, sequence } = each;
  if (result.text.length === result.length || sequence === undefined) return { call: each, text: result.text };
  return { call: each, text: textAt(await view.texts.event(sequence), "text") };
}

export function forkRequest(
  { at }: Forkable,
  { name, model, instructions, tools, input, results }: Changes,
): ForkRequest {
  const given = Object.entries(results).map(([index, text]) => ({ call: Number(index), text }));
  return {
    at,
    ...(name.trim() !== "" && { name: name.trim() }),
    ...(model.trim() !== "" && { model: model.trim() }),
    ...(instructions !== undefined && { instructions }),
    ...(tools && { tools }),
    ...(input !== undefined && { input_text: input }),
    ...(given.length > 0 && { results: given }),
  };
}

/** The built-in tools, and which of them are chosen. */
export const builtInTools: string[] = Object.keys(toolHelp);

/** The tools whose calls leave the service, as people know them. */
export function toolsThatLeave(tools: string[]): string[] {
  return tools.filter((name) => !withinRun.has(name)).map(toolLabel);
}

/** The tools that reach nothing but the files and the record of the run. */
const withinRun = new Set([
  ...builtInTools.filter((name) => name !== "web_fetch" && name !== "ask_person"),
  "read_result",
]);

export function fork(runId: string, request: ForkRequest): Promise<Run> {
  return call("fork_run", { run_id: runId }, { body: request });
}
