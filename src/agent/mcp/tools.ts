import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { toWellFormed } from "../../json.ts";
import type { ToolDefinition } from "../model.ts";
import {
  errorOutput,
  inputError,
  type McpOrigin,
  type OfferedTool,
  type Tool,
  type ToolOutput,
} from "../tools/tool.ts";
import { locallyCheckedSchema, providerSchema } from "./schemas.ts";
import type { McpServer } from "./mcp-types.ts";

/** Makes the `run` function of a tool from the name that the server uses for it. */
type CallTool = (tool: string) => Tool["run"];

/** The limit of OpenAI, Anthropic and Amazon Bedrock. */
const maxNameCharacters = 64;

/** Converts the tools that the server lists. */
export async function listedTools(server: McpServer, listed: McpTool[], call: CallTool): Promise<Tool[]> {
  const newValidator = await validatorFactory();
  const taken = new Set<string>();
  return listed.map((tool): Tool => {
    const { name, description = "", inputSchema, annotations = {} } = tool;
    const { readOnlyHint = false, idempotentHint = false } = annotations;
    const definition: ToolDefinition = toWellFormed({
      name: uniqueToolName(server, name, taken),
      description,
      input: providerSchema(inputSchema),
    });
    return checkedTool(
      {
        definition,
        origin: { server: server.name, tool: name },
        ...(!readOnlyHint && { hasEffects: true as const }),
        ...((readOnlyHint || idempotentHint) && { idempotent: true }),
        run: call(name),
      },
      () => newValidator(inputSchema),
    );
  });
}

/**
 * The tools of a server as they were offered earlier in the turn. The server is not listed. Inputs are checked with the
 * offered schema, which is the server's without some keywords.
 */
export async function reopenedTools(offered: OfferedTool[], call: CallTool): Promise<Tool[]> {
  const newValidator = await validatorFactory();
  return offered.map(({ origin, hasEffects, idempotent, ...definition }): Tool => {
    if (origin?.tool === undefined) return placeholder(definition, origin);
    const flags = { ...(hasEffects && { hasEffects }), ...(idempotent && { idempotent }) };
    return checkedTool({ definition, origin, ...flags, run: call(origin.tool) }, () => newValidator(definition.input));
  });
}

type Validator = (input: unknown) => { valid: boolean; errorMessage?: string | undefined };

async function validatorFactory(): Promise<(schema: unknown) => Validator> {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/client/validators/ajv");
  const validators = new AjvJsonSchemaValidator();
  return (schema) => validators.getValidator(locallyCheckedSchema(schema) as never);
}

/** The tool with a check of its inputs. The schema is compiled at the first call. */
function checkedTool(tool: Tool, compile: () => Validator): Tool {
  let validate: ((input: unknown) => string | undefined) | undefined;
  const check = (input: unknown, json?: string): ToolOutput | undefined => {
    validate ??= inputValidator(compile);
    const problem = validate(input);
    return problem === undefined ? undefined : inputError(tool.definition, problem, { input, json });
  };
  return {
    ...tool,
    check,
    run: async (input, context) => check(input, context.call?.json) ?? tool.run(input, context),
  };
}

/** Compiles a schema. For an invalid schema, every input is accepted here; the server validates it. */
function inputValidator(compile: () => Validator): (input: unknown) => string | undefined {
  try {
    const validate = compile();
    return (input) => {
      const { valid, errorMessage = "it does not match the schema" } = validate(input);
      return valid ? undefined : errorMessage;
    };
  } catch {
    return () => undefined;
  }
}

/** Placeholders for the tools of a server that could not be listed. Their inputs are not checked here. */
export function unavailableTools(server: McpServer, reason: string, call: CallTool): Tool[] {
  const input = { type: "object", properties: {} };
  const problem = `The MCP server ${server.name} could not be listed: ${reason}.`;
  const taken = new Set<string>();
  if (!server.tools) {
    const definition = { name: uniqueToolName(server, "unavailable", taken), description: problem, input };
    return [placeholder(definition, { server: server.name })];
  }
  return server.tools.map((name) => ({
    definition: { name: uniqueToolName(server, name, taken), description: problem, input },
    origin: { server: server.name, tool: name },
    hasEffects: true,
    run: call(name),
  }));
}

/** The placeholder of a server without a list of tools. Its description says why. */
function placeholder(definition: ToolDefinition, origin: McpOrigin | undefined): Tool {
  const text = `${definition.description} Its tools cannot be used in this turn.`;
  return { definition, ...(origin && { origin }), run: async () => errorOutput(text) };
}

/** The server's name and the tool's name, with the characters and the length that all providers accept. */
function uniqueToolName(server: McpServer, tool: string, taken: Set<string>): string {
  const wanted = `${server.name}__${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, maxNameCharacters);
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted.slice(0, maxNameCharacters - String(n).length - 1)}_${n}`;
  taken.add(name);
  return name;
}
