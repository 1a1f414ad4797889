import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { recordSchemas } from "../src/runs/bundle/record-schema.ts";
import { inputSchemas } from "../src/agent/tools/definitions.ts";
import { type ApiDescription, type Parameter, reference } from "../src/http/description.ts";
import { agentDefinition } from "../src/accounts/agents/agent-schema.ts";
import { publicApi } from "../src/v1/public-api.ts";
import { extApi } from "../src/ext/contract/ext-api.ts";
import { inputs as mcpInputs } from "../src/mcp/tools/inputs.ts";
import { manageApi } from "../src/manage/contract/manage-api.ts";
import { inputValidatorsSource, referredSchemas, validatorsSource } from "./validators.ts";

// Compiles the schemas of the contracts, of agent files and of tool inputs to modules, so that no schema is compiled at run
// time. `scripts/install.mjs` runs it when one of its sources is newer than what it wrote.

const root = fileURLToPath(new URL("..", import.meta.url));

/** Where the modules are. Not committed. */
const directory = join(root, "dist/generated");

/** Handlers get the defaults of what is missing, and UUIDs in one form. */
const forHandlers = { useDefaults: true, canonicalIds: true };

const firstOnly = { allErrors: false, verbose: false, messages: true };

/** The content of all files: modules, and their types. */
export function validatorFiles(): Record<string, string> {
  const create = { validateCreateRequest: reference("PublicCreateAgentRequest") };
  const agentFile = { validateAgentFile: agentDefinition };
  return {
    ...moduleFiles("v1", create, validatorsSource(create, publicApi.schemas)),
    ...apiFiles("ext", extApi),
    ...apiFiles("manage", manageApi),
    // Sets the defaults of what is missing, and explains errors in sentences.
    ...moduleFiles("agent-file", agentFile, validatorsSource(agentFile, {}, { useDefaults: true, messages: true })),
    // Ends with the first violation: a record can have millions.
    ...moduleFiles("run-record", recordSchemas, validatorsSource(recordSchemas, {}, firstOnly)),
    ...moduleFiles("mcp-inputs", mcpInputs, validatorsSource(mcpInputs, {}, { ...forHandlers, messages: true })),
    ...moduleFiles("tool-inputs", inputSchemas, inputValidatorsSource(inputSchemas)),
  };
}

/** The validators of bodies, by name of the schema, and of parameters. */
function apiFiles(name: string, api: ApiDescription): Record<string, string> {
  const operations = Object.values(api.operations);
  const requests = operations.flatMap(({ request }) => request ?? []);
  const bodies = Object.fromEntries(requests.map((request) => [request, reference(request)]));
  // Parameters are texts: the validators convert them, and both set the defaults of what is missing.
  const parameters = {
    ...Object.fromEntries(
      Object.entries(api.pathParameters).map(([each, one]) => [`path_${each}`, parametersSchema({ [each]: one })]),
    ),
    ...Object.fromEntries(
      operations.map(({ operationId, query = {} }) => [`query_${operationId}`, parametersSchema(query)]),
    ),
  };
  const referred = referredSchemas(api.schemas, Object.values(bodies));
  return {
    ...moduleFiles(`${name}-bodies`, bodies, validatorsSource(bodies, referred, forHandlers)),
    ...moduleFiles(
      `${name}-parameters`,
      parameters,
      validatorsSource(parameters, {}, { ...forHandlers, coerceTypes: "array" }),
    ),
  };
}

/** The schema of an object that holds these parameters. */
function parametersSchema(parameters: Record<string, Parameter>): object {
  const entries = Object.entries(parameters);
  const required = entries.filter(([, one]) => one.required).map(([name]) => name);
  const properties = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]));
  return { type: "object", additionalProperties: false, properties, ...(required.length > 0 && { required }) };
}

function moduleFiles(name: string, validators: object, source: string): Record<string, string> {
  const types = Object.keys(validators).map((each) => `export const ${each}: SchemaValidator;\n`);
  const type = 'import type { SchemaValidator } from "../../src/schema-validator.ts";\n\n';
  return { [`${name}.js`]: source, [`${name}.d.ts`]: type + types.join("") };
}

/** The files that this program reads, relative to the project. */
async function sources(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [fileURLToPath(import.meta.url)],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    write: false,
    metafile: true,
  });
  return [...Object.keys(metafile.inputs), "package-lock.json"];
}

/**
 * Writes the modules, each at once for services that start meanwhile. The last file has the names of the sources, with which
 * `scripts/built.mjs` finds out whether one is newer.
 */
export async function buildValidators(): Promise<void> {
  await mkdir(directory, { recursive: true });
  const files = { ...validatorFiles(), "sources.json": JSON.stringify(await sources()) };
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    await writeFile(`${path}.${process.pid}`, content);
    await rename(`${path}.${process.pid}`, path);
  }
}

if (import.meta.main) await buildValidators();
