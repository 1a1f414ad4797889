import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTypes, { astToString } from "openapi-typescript";
import type { ApiDescription, Parameter } from "../src/api/description.ts";
import { buildOpenapiDocument } from "../src/api/openapi-document.ts";
import { publicApi } from "../src/api/public-api.ts";
import { sharedSchemas } from "../src/api/rest/schemas/index.ts";
import { extApi } from "../src/ext/contract/ext-api.ts";
import { manageApi } from "../src/manage/contract/manage-api.ts";
import { basePath as managePath } from "../src/manage/contract/operations/operation.ts";
import { clientFiles } from "./generate-clients.ts";
import { operationTable } from "./operation-table.ts";
import { agentSchemaFile, agentSchemaSource, toolInputsFile, toolInputsSource } from "./generate-tools.ts";
import { referredSchemas, validatorsSource, validatorsTypes } from "./validators.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The content of every generated file, by path. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const manageDescription = manageApi(withoutKeywords(await agentSchema()));
  const manage = await restFiles("src/manage", manageDescription);
  const shared = { ...(await publicFiles()), ...(await sharedFiles()) };
  const ext = await restFiles("src/ext", extApi);
  const clients = await clientFiles();
  manage[pathOf("src/manage/generated/operations.ts")] =
    noticeOf("src/manage/contract/") + operationTable(manageDescription, managePath, "../schema-types.ts");
  return { ...shared, ...manage, ...ext, ...clients, ...(await agentFiles()), [toolInputsFile]: toolInputsSource() };
}

async function publicFiles(): Promise<Record<string, string>> {
  const notice = noticeOf("src/api/contract.ts");
  const name = "validateCreateRequest";
  const create = { $ref: "#/components/schemas/PublicCreateAgentRequest" };
  return {
    [pathOf("src/api/generated/llms-txt.ts")]: await llmsSource(),
    ...(await documentFiles(publicApi, "src/api/generated/openapi.ts", "test/client/generated/api.d.ts", notice)),
    [pathOf("src/api/generated/validators.js")]: notice + validatorsSource({ [name]: create }, publicApi.schemas),
    [pathOf("src/api/generated/validators.d.ts")]: notice + validatorsTypes([name], "../.."),
  };
}

/** A module, because a Lambda function's bundle contains no other files. */
async function llmsSource(): Promise<string> {
  const text = await readFile(pathOf("llms.txt"), "utf8");
  const lines = text.split(/(?<=\n)/).map((line) => JSON.stringify(line));
  return `${noticeOf("llms.txt")}export const llmsTxt: string =\n  ${lines.join(" +\n  ")};\n`;
}

/** The types of the schemas that several APIs share. */
async function sharedFiles(): Promise<Record<string, string>> {
  const info = { title: "Shared schemas", version: "1" };
  const document = { openapi: "3.1.0", info, paths: {}, components: { schemas: sharedSchemas } };
  const types = astToString(await openapiTypes(JSON.stringify(document)));
  return { [pathOf("src/api/rest/generated/types.d.ts")]: noticeOf("src/api/rest/schemas/") + types };
}

/** Document, types and validators of an API whose contract is in `folder`. */
async function restFiles(folder: string, api: ApiDescription): Promise<Record<string, string>> {
  const notice = noticeOf(`${folder}/contract/`);
  const generated = `${folder}/generated`;
  const operations = Object.values(api.operations);
  const requests = operations.flatMap(({ request }) => request ?? []);
  const bodies = Object.fromEntries(requests.map((name) => [name, { $ref: `#/components/schemas/${name}` }]));
  // Parameters are texts: the validators convert them, and both set the defaults of what is missing.
  const parameters = {
    ...Object.fromEntries(
      Object.entries(api.pathParameters).map(([name, one]) => [`path_${name}`, parametersSchema({ [name]: one })]),
    ),
    ...Object.fromEntries(
      operations.map(({ operationId, query = {} }) => [`query_${operationId}`, parametersSchema(query)]),
    ),
  };
  const referred = referredSchemas(api.schemas, Object.values(bodies));
  return {
    ...(await documentFiles(api, `${generated}/openapi.ts`, `${generated}/types.d.ts`, notice)),
    [pathOf(`${generated}/bodies.js`)]: notice + validatorsSource(bodies, referred, { useDefaults: true }),
    [pathOf(`${generated}/bodies.d.ts`)]: notice + validatorsTypes(Object.keys(bodies), "../.."),
    [pathOf(`${generated}/parameters.js`)]:
      notice + validatorsSource(parameters, {}, { useDefaults: true, coerceTypes: true }),
    [pathOf(`${generated}/parameters.d.ts`)]: notice + validatorsTypes(Object.keys(parameters), "../.."),
  };
}

/** The validator of agent files, which sets the defaults of what is missing and explains errors in sentences. */
async function agentFiles(): Promise<Record<string, string>> {
  const notice = noticeOf("schemas/agent.schema.json");
  const name = "validateAgentFile";
  const options = { useDefaults: true, messages: true };
  const schema = withoutKeywords(await agentSchema());
  return {
    [pathOf("src/accounts/generated/agent-file.js")]: notice + validatorsSource({ [name]: schema }, {}, options),
    [pathOf("src/accounts/generated/agent-file.d.ts")]: `${notice}${agentFileTypes}`,
  };
}

const agentFileTypes = `export interface AgentFileError {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  message?: string;
  data?: unknown;
}

export const validateAgentFile: {
  (value: unknown): boolean;
  errors?: AgentFileError[] | null;
};
`;

async function agentSchema(): Promise<Record<string, unknown>> {
  return JSON.parse(await agentSchemaSource()) as Record<string, unknown>;
}

/** An agent file's schema as a part of another document. */
function withoutKeywords({ $schema: _schema, title: _title, ...schema }: Record<string, unknown>): object {
  return schema;
}

/** The schema of an object that holds these parameters. */
function parametersSchema(parameters: Record<string, Parameter>): object {
  const entries = Object.entries(parameters);
  const required = entries.filter(([, one]) => one.required).map(([name]) => name);
  const properties = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]));
  return { type: "object", additionalProperties: false, properties, ...(required.length > 0 && { required }) };
}

async function documentFiles(
  api: ApiDescription,
  documentPath: string,
  typesPath: string,
  notice: string,
): Promise<Record<string, string>> {
  const json = JSON.stringify(buildOpenapiDocument(api));
  return {
    [pathOf(documentPath)]:
      `${notice}/** The OpenAPI document as JSON text. */\nexport const openapiDocument: string =\n  ${inLines(json)};\n`,
    [pathOf(typesPath)]: notice + astToString(await openapiTypes(json)),
  };
}

/** A string literal with one line per path and schema, so that changes of different ones can be merged. */
function inLines(json: string): string {
  return json
    .split(/(?<=,)(?="\/[\w/]|"[A-Z]\w+":\{)/)
    .map((part) => JSON.stringify(part))
    .join(" +\n  ");
}

const noticeOf = (source: string): string => `// Generated by scripts/generate.ts from ${source}. Do not edit.\n`;

if (import.meta.main) {
  await writeFile(agentSchemaFile, await agentSchemaSource()); // formatted by `npm run generate`
  for (const [path, text] of Object.entries(await generatedFiles())) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
