import { validateAgentFile } from "../../../dist/generated/agent-file.js";
import { withoutUserinfo } from "../../agent/public-url.ts";
import { resultTool } from "../../agent/models/openai/result-format.ts";
import { readResult, toolDefinitions } from "../../agent/tools/definitions.ts";
import type { SchemaViolation } from "../../schema-validator.ts";
import type { AgentDefinition } from "../account-types.ts";

/**
 * Validates the text of an agent file against `schemas/agent.schema.json`. The definition has the schema's defaults filled
 * in. `problems` has one sentence per error.
 */
export function parseAgentFile(text: string): { definition: AgentDefinition } | { problems: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, "")); // some editors write a byte order mark
  } catch (error) {
    return { problems: [`not valid JSON (${error instanceof Error ? error.message : String(error)})`] };
  }
  if (!validateAgentFile(value)) return { problems: (validateAgentFile.errors ?? []).flatMap(problem) };
  const { $schema: _, ...fields } = value as AgentDefinition & { $schema?: string };
  const problems = definitionProblems(fields);
  return problems.length > 0 ? { problems } : { definition: fields };
}

/** Bytes of UTF-8 as JSON. The limit of a DynamoDB item is 400 KB. */
const maxBytes = 350_000;

/** Errors that concern several fields, which the schema cannot express. One sentence per error. */
export function definitionProblems(fields: AgentDefinition): string[] {
  const { limits, runLimits, prices, maxDollarsPerDay, mcp = [] } = fields;
  const bytes = Buffer.byteLength(JSON.stringify(fields));
  if (bytes > maxBytes) return [`all fields together have ${bytes} bytes of UTF-8; at most ${maxBytes} are accepted`];
  const servers = mcp.map(({ name }) => name);
  const duplicates = new Set(servers.filter((name, index) => servers.indexOf(name) < index));
  const problems = [...duplicates].map(
    (name) => `mcp has two servers named ${JSON.stringify(name)}; names must be unique`,
  );
  problems.push(
    ...clientToolProblems(fields),
    ...toolPolicyProblems(fields),
    ...fallbackProblems(fields),
    ...runModelProblems(fields),
  );
  for (const { name, url } of mcp) {
    if (withoutUserinfo(url) === url) continue;
    problems.push(
      `the url of the MCP server ${name} contains a user name or password; put the credential in a secret and name it in headers`,
    );
  }
  if (prices) return problems;
  const inDollars = Object.entries({ limits, runLimits }).filter(([, of]) => of?.dollars !== undefined);
  const names = inDollars.map(([field]) => `${field}.dollars`);
  if (maxDollarsPerDay !== undefined) names.push("maxDollarsPerDay");
  return [...problems, ...names.map((name) => `prices is missing; ${name} requires it`)];
}

/** Why the second model cannot replace the first. */
function fallbackProblems({ fallback, modelConfiguration, model, prices }: AgentDefinition): string[] {
  if (!fallback) return [];
  const isSame = fallback.modelConfiguration === modelConfiguration && fallback.model === model;
  const problems = isSame
    ? ["fallback is the agent's first model itself; name another model or modelConfiguration in it"]
    : [];
  if (prices && !fallback.prices) return [...problems, "fallback.prices is missing; prices requires it"];
  if (fallback.prices && !prices) return [...problems, "prices is missing; fallback.prices requires it"];
  return problems;
}

/** Why runs cannot choose between the models. */
function runModelProblems({ runModels = [], prices }: AgentDefinition): string[] {
  const names = runModels.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) < index))];
  const unpriced = runModels.filter((each) => (each.prices === undefined) !== (prices === undefined));
  return [
    ...twice.map((name) => `runModels has two models named ${JSON.stringify(name)}; names must be unique`),
    ...unpriced.map(({ name }) =>
      prices
        ? `the prices of ${JSON.stringify(name)} in runModels are missing; prices requires them`
        : `prices is missing; the prices of ${JSON.stringify(name)} in runModels require it`,
    ),
  ];
}

/** Why the tools of callers cannot be told from others. */
function clientToolProblems({ clientTools = [], mcp = [] }: AgentDefinition): string[] {
  const names = clientTools.map(({ name }) => name);
  return [...new Set(names)].flatMap((name) => {
    const shown = JSON.stringify(name);
    if (names.indexOf(name) !== names.lastIndexOf(name))
      return `clientTools has two tools named ${shown}; names must be unique`;
    if (reservedNames.has(name))
      return `clientTools has a tool named ${shown}, the name of a tool of the service; choose another name`;
    const server = mcp.find((each) => name.startsWith(`${each.name}__`));
    return server
      ? `clientTools has a tool named ${shown}, as tools of the MCP server ${server.name} are; choose another name`
      : [];
  });
}

/** Rules that apply to no tool: a misspelled one would let the tool run without an approval. */
function toolPolicyProblems({ toolPolicy = {}, clientTools = [], mcp = [] }: AgentDefinition): string[] {
  const known = new Set([...toolDefinitions, readResult, ...clientTools].map(({ name }) => name));
  const unknown = Object.keys(toolPolicy).filter(
    (name) => !known.has(name) && !mcp.some((server) => name.startsWith(`${server.name}__`)),
  );
  return unknown.map(
    (name) =>
      `toolPolicy has a rule for ${JSON.stringify(name)}, which is not a tool of the service or the agent; expected the name of a tool, or SERVER__TOOL or SERVER__* of an MCP server in mcp`,
  );
}

/** Names of tools that only the service offers. */
const reservedNames = new Set([...[...toolDefinitions, readResult].map(({ name }) => name), resultTool]);

/** Why the service cannot keep the agent's runs as its file asks. `retentionDays`: that of a stack. */
export function keepDaysProblems({ keepDays }: AgentDefinition, retentionDays: number | undefined): string[] {
  if (keepDays === undefined || retentionDays === undefined) return [];
  const here = `a stack deletes all runs after the days of its setting retentionDays (${retentionDays})`;
  return [`keepDays is ${keepDays}, but is for services on one machine; ${here}: remove keepDays`];
}

function problem({ instancePath, keyword, params, message = "is wrong", data }: SchemaViolation): string | [] {
  if (keyword === "if") return []; // its `else` reports the errors
  const place = instancePath.slice(1).replaceAll("/", ".");
  const field = (name: unknown): string => (place ? `${place}.${String(name)}` : String(name));
  if (keyword === "required") return `${field(params["missingProperty"])} is missing`;
  if (keyword === "additionalProperties") {
    return `${field(params["additionalProperty"])} is not a field of an agent file`;
  }
  const accepted = keyword === "enum" ? `must be one of ${(params["allowedValues"] as string[]).join(", ")}` : message;
  if (place.includes(".headers.")) return `${place} ${accepted}`; // the value may be a pasted secret
  const received = JSON.stringify(data) ?? "nothing";
  const shown = received.length > 80 ? `${received.slice(0, 80)}…` : received;
  return `${place || "the file"} ${accepted} (received ${shown})`;
}
