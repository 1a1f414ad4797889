import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import { defaultContextTokens, bytesPerToken } from "../turn/context-window.ts";
import { findExcessiveDepth, toWellFormed } from "../../json.ts";
import type { ToolDefinition } from "../model.ts";
import type { McpServer } from "./client.ts";
import { providerSchema, locallyCheckedSchema } from "./schemas.ts";
import { errorOutput, type Tool } from "../tools/tool.ts";

/** Makes a tool's calls, by the name that the server has for it. */
type Call = (tool: string) => Tool["run"];

/** Characters of a tool's schema and description: they go to the model with every call. */
const maxToolCharacters = 50_000;
const maxNameCharacters = 64; // what OpenAI, Anthropic and Bedrock accept
/** Tools of one agent: what OpenAI takes. */
const maxTools = 128;
/** Share of the model's window that the tools of MCP servers may fill. */
const toolShareOfContext = 0.5;

/**
 * The tools of a server's list that the agent may use. Inputs are checked as far as that can be done here. `problems`:
 * for the operator, what was left out and why.
 */
export async function listedTools(
  server: McpServer,
  listed: ListedTool[],
  call: Call,
): Promise<{ tools: Tool[]; problems: string[] }> {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/client/validators/ajv");
  const validators = new AjvJsonSchemaValidator();
  const validatorOf = (schema: object) => validators.getValidator(locallyCheckedSchema(schema) as never);
  const allowed = listed.filter(({ name }) => server.tools?.includes(name) ?? true);
  const usable = allowed.filter((tool) => isUsable(tool));
  const missing = server.tools?.filter((name) => !listed.some((tool) => tool.name === name)) ?? [];
  const taken = new Set<string>();
  const tools = usable.map((tool): Tool => {
    const { name, description = "", inputSchema, annotations = {} } = tool;
    const { readOnlyHint = false, idempotentHint = false } = annotations;
    const definition: ToolDefinition = toWellFormed({
      name: toolName(server, name, taken),
      description,
      input: providerSchema(inputSchema),
    });
    const run = call(name);
    let problemOf: ((input: unknown) => string | undefined) | undefined;
    return {
      definition,
      ...(!readOnlyHint && { effects: "outside" as const }),
      ...((readOnlyHint || idempotentHint) && { idempotent: true }),
      async run(input, context) {
        problemOf ??= inputCheck(() => validatorOf(inputSchema));
        const problem = problemOf(input);
        return problem === undefined ? run(input, context) : errorOutput(inputProblem(definition, problem, input));
      },
    };
  });
  return {
    tools,
    problems: [
      ...missing.map((name) => `it has no tool ${JSON.stringify(name)}`),
      ...allowed
        .filter((tool) => !usable.includes(tool))
        .map(({ name }) => JSON.stringify(name.slice(0, 200)))
        .map((name) => `its tool ${name} is left out: its definition is too large or nested too deep`),
    ],
  };
}

/** Whether a tool's definition can be sent with every model call. */
function isUsable(tool: ListedTool): boolean {
  try {
    const text = JSON.stringify(tool);
    return text.length <= maxToolCharacters && findExcessiveDepth(text) === undefined;
  } catch {
    return false; // nested so deep that JSON.stringify fails
  }
}

/** An invalid schema is not checked here; the server checks the input. */
function inputCheck(
  compile: () => (input: unknown) => { valid: boolean; errorMessage?: string | undefined },
): (input: unknown) => string | undefined {
  try {
    const validate = compile();
    return (input) => {
      const { valid, errorMessage = "it does not fit the schema" } = validate(input);
      return valid ? undefined : errorMessage;
    };
  } catch {
    return () => undefined;
  }
}

function inputProblem({ name, input: schema }: ToolDefinition, problem: string, input: unknown): string {
  const received = (JSON.stringify(input) ?? "nothing").slice(0, 200);
  return `${name}: ${problem}. Received: ${received}. Accepted: ${JSON.stringify(schema)}.`;
}

/** What stands for the tools of a server that could not be listed. Its inputs can't be checked here. */
export function unavailableTools(server: McpServer, why: string, call: Call): Tool[] {
  const input = { type: "object", properties: {} };
  const problem = `The MCP server ${server.name} could not be listed: ${why}.`;
  const taken = new Set<string>();
  if (!server.tools) {
    const definition = { name: toolName(server, "unavailable", taken), description: problem, input };
    return [{ definition, run: async () => errorOutput(`${problem} Its tools can't be used in this turn.`) }];
  }
  return server.tools.map((name) => ({
    definition: { name: toolName(server, name, taken), description: problem, input },
    effects: "outside" as const,
    run: call(name),
  }));
}

/** As many of the tools, from the first on, as a model takes beside `others` tools and has room for in its window. */
export function toolsWithinLimits(tools: Tool[], others: number, contextTokens = defaultContextTokens): Tool[] {
  let room = contextTokens * bytesPerToken * toolShareOfContext;
  return tools.slice(0, Math.max(0, maxTools - others)).filter(({ definition }) => {
    room -= Buffer.byteLength(JSON.stringify(definition));
    return room >= 0;
  });
}

/** Prefixed by the server's name, in the letters and the length that all providers accept, and unique. */
function toolName(server: McpServer, tool: string, taken: Set<string>): string {
  const wanted = `${server.name}__${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, maxNameCharacters);
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted.slice(0, maxNameCharacters - String(n).length - 1)}_${n}`;
  taken.add(name);
  return name;
}
