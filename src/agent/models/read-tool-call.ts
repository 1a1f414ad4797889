import {
  findExcessiveDepth,
  isObject,
  isRawNumber,
  maxJsonDepth,
  mayChange,
  parseExact,
  type PlainJson,
  plainJson,
} from "../../json.ts";
import type { ModelRequest, ToolCall } from "../model.ts";
import { unknownTool } from "../unknown-tool.ts";
import { repairedInput } from "./openai/repair-input.ts";

type Tools = ModelRequest["tools"];

/** Characters of tool call names. Those of all providers are shorter. */
const maxCharacters = 256;

/**
 * The tool call in an answer. `sent`: its arguments as the model sent them, for the next request; an empty object if they are no JSON.
 * Arguments are cut where they exceed the nesting limit, before any recursive function sees them, and are invalid then.
 */
export function readToolCall(
  { id, name: sentName, json }: { id: string; name: string; json: string },
  tools: Tools,
): { call: ToolCall; sent: unknown } {
  const name = offeredName(sentName, tools).slice(0, maxCharacters);
  const text = json.slice(0, findExcessiveDepth(json));
  const parsed = parse(text);
  const tool = tools.find((each) => each.name === name);
  const invalid = tool ? !parsed && notJson(tool, text) : unknownTool(name, tools);
  const renamed = name !== sentName && tool && { name: sentName.slice(0, maxCharacters) };
  if (!parsed) {
    const call = { id, name, input: text, ...(renamed && { sent: renamed }), ...(invalid && { invalid }) };
    return { call, sent: {} };
  }
  const exact = parsed.value;
  const repaired = tool ? repairedInput(exact, tool.input) : exact;
  const isRepaired = repaired !== exact;
  const sent: PlainJson = isRepaired || mayChange(text) ? plainJson(exact) : { value: exact };
  const { value: input, json: used } = isRepaired ? plainJson(repaired) : sent;
  const changed = { ...renamed, ...(isRepaired && { json: sent.json ?? JSON.stringify(sent.value) }) };
  const call: ToolCall = {
    id,
    name,
    input,
    ...(used !== undefined && { json: used }),
    ...(Object.keys(changed).length > 0 && { sent: changed }),
    ...(invalid && { invalid }),
  };
  return { call, sent: sent.value };
}

/**
 * The name of the offered tool that a model means: parsers of servers leave marks of a model's own notation in it, such as
 * `list_files<|channel|>commentary` of gpt-oss (vllm-project/vllm#35906), `functions.list_files:0` of Kimi and
 * `default_api.list_files` of Gemini.
 */
export function offeredName(name: string, tools: Tools): string {
  if (tools.some((each) => each.name === name)) return name;
  const [plain = ""] = name
    .replace(/^\s*(functions[.:]|default_api[.:])/, "")
    .split("<|", 1)
    .map((each) => each.replace(/:\d+\s*$/, "").trim());
  return tools.some((each) => each.name === plain) ? plain : name;
}

/** Parses tool arguments. Some servers send nothing or null for no arguments, or a JSON string that contains JSON. */
function parse(json: string): { value: unknown } | undefined {
  if (json.trim() === "") return { value: {} };
  try {
    const value = parseExact(json);
    if (value === null) return { value: {} };
    const nested =
      typeof value === "string" && findExcessiveDepth(value) === undefined ? parse(value)?.value : undefined;
    return { value: isObject(nested) && !isRawNumber(nested) ? nested : value };
  } catch {
    return undefined;
  }
}

/** Why arguments are invalid, as an error text for the model. */
function notJson({ name, input: schema }: Tools[number], text: string): string {
  const problem =
    findExcessiveDepth(text) === undefined ? "are not valid JSON" : `are nested more than ${maxJsonDepth} levels deep`;
  return `The arguments of ${name} ${problem}. Received: ${text.slice(0, 200)}. Accepted: ${JSON.stringify(schema)}.`;
}
