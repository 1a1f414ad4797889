import { randomUUID } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import { bearer, create, created, read, sendCall } from "./client.ts";
import type { HttpResponse, TestedServer } from "./types.ts";
import { asObject, type Case, describe, expect, expectEqual, Mismatch, uuidShape } from "./expect.ts";

type Json = Record<string, unknown>;

const createPath = ["paths", "/v1/agents", "post"];
const getPath = ["paths", "/v1/agents/{agent_id}", "get"];
const descriptionPath = ["paths", "/v1/openapi.json", "get"];

const operations: { at: string[]; id: string; statuses: string[] }[] = [
  { at: createPath, id: "public_create_agent", statuses: ["201", "401", "403", "404", "409", "413", "422"] },
  { at: getPath, id: "public_get_agent", statuses: ["200", "401", "404", "422", "502", "503"] },
  { at: descriptionPath, id: "public_get_openapi_schema", statuses: ["200"] },
];

/** The models of section 2 of the specification: required and optional fields, and keywords of some fields. */
const models: { name: string; required: string[]; optional?: string[]; keywords?: Record<string, Json> }[] = [
  {
    name: "PublicCreateAgentRequest",
    required: ["name", "template_id"],
    optional: ["input_text", "files"],
    keywords: {
      name: { type: "string", minLength: 1, maxLength: 200 },
      template_id: { type: "string", format: "uuid" },
      files: { type: "array", maxItems: 10 },
    },
  },
  {
    name: "PublicAgentFileInput",
    required: ["filename", "content_base64"],
    keywords: {
      filename: { type: "string", minLength: 1, maxLength: 255 },
      content_base64: { type: "string", minLength: 1 },
    },
  },
  {
    name: "PublicCreateAgentResponse",
    required: ["agent_id"],
    keywords: { agent_id: { type: "string", format: "uuid" } },
  },
  {
    name: "PublicAgentStatusResponse",
    required: ["agent_id", "loop_status", "transcript"],
    keywords: {
      agent_id: { type: "string", format: "uuid" },
      loop_status: { enum: ["running", "finished", "technical_error", "terminated"] },
      transcript: { type: "array" },
    },
  },
  {
    name: "TranscriptMessage",
    required: ["role", "text"],
    keywords: { role: { enum: ["input_to_agent", "output_from_agent"] }, text: { type: "string" } },
  },
  { name: "PublicErrorResponse", required: ["detail"], keywords: { detail: { type: "string" } } },
  { name: "HTTPValidationError", required: [], optional: ["detail"], keywords: { detail: { type: "array" } } },
  {
    name: "ValidationError",
    required: ["loc", "msg", "type"],
    optional: ["input", "ctx"],
    keywords: { loc: { type: "array" }, msg: { type: "string" }, type: { type: "string" } },
  },
];

/** Responses of the service, and the model that each must match. */
const responses: { name: string; model: string; ask: (target: TestedServer) => Promise<HttpResponse> }[] = [
  { name: "a created run", model: "PublicCreateAgentResponse", ask: (target) => create(target) },
  {
    name: "a run's status",
    model: "PublicAgentStatusResponse",
    ask: async (target) => read(target, await created(target, { input_text: "Reply with one word." })),
  },
  { name: "a 401", model: "PublicErrorResponse", ask: (target) => read(target, randomUUID(), {}) },
  { name: "a 404", model: "PublicErrorResponse", ask: (target) => read(target, randomUUID()) },
  { name: "a validation error", model: "HTTPValidationError", ask: (target) => create(target, { name: "", files: 1 }) },
];

export const descriptionCases: Case[] = [
  {
    name: "description: OpenAPI 3.1, title and version, with and without a key",
    async run(target) {
      const document = await fetchDescription(target);
      expect(/^3\.1\.\d+$/.test(String(document["openapi"])), "openapi 3.1.x", String(document["openapi"]));
      expectEqual(at(document, ["info", "title"]), "Agents API", "the title");
      expectEqual(at(document, ["info", "version"]), "1.0", "the version");
      for (const auth of [bearer(target.apiKey), bearer("ak_unknown")]) {
        const response = await sendCall(target, { path: "/v1/openapi.json", auth });
        expect(response.status === 200, "200, with any key", describe(response));
      }
    },
  },
  ...operations.map(
    ({ at: path, id, statuses }) =>
      ({
        name: `description: ${id} has its statuses and security`,
        async run(target) {
          const document = await fetchDescription(target);
          const operation = asObject(at(document, path));
          expectEqual(operation["operationId"], id, `${path.join(" ")} with the operationId`);
          const absent = statuses.filter((status) => !(status in asObject(operation["responses"])));
          expect(absent.length === 0, `responses ${statuses.join(", ")}`, `none for ${absent.join(", ")}`);
          const security = list(operation["security"] ?? document["security"]).map(asObject);
          const open = security.every((requirement) => Object.keys(requirement).length === 0);
          if (path === descriptionPath) expect(open, "an empty security requirement", JSON.stringify(security));
          else expectBothSchemes(document, security);
        },
      }) satisfies Case,
  ),
  {
    name: "description: all operations share one group (tag)",
    async run(target) {
      const document = await fetchDescription(target);
      const [first = [], ...others] = operations.map((operation) => list(at(document, [...operation.at, "tags"])));
      const shared = first.filter((tag) => others.every((tags) => tags.includes(tag)));
      expect(shared.length > 0, "a tag that all three operations have", JSON.stringify([first, ...others]));
    },
  },
  {
    name: "description: bodies reference the models of section 2 by name",
    async run(target) {
      const document = await fetchDescription(target);
      const json = ["content", "application/json", "schema"];
      expectEqual(at(document, [...createPath, "requestBody", "required"]), true, "a request body with required");
      expectRef(document, [...createPath, "requestBody", ...json], "PublicCreateAgentRequest");
      expectRef(document, [...createPath, "responses", "201", ...json], "PublicCreateAgentResponse");
      expectRef(document, [...getPath, "responses", "200", ...json], "PublicAgentStatusResponse");
    },
  },
  ...models.map(
    ({ name, required, optional = [], keywords = {} }) =>
      ({
        name: `description: the model ${name}`,
        async run(target) {
          const document = await fetchDescription(target);
          const model = asObject(at(document, ["components", "schemas", name]));
          const properties = asObject(model["properties"]);
          expectEqual(
            Object.keys(properties).toSorted(),
            [...required, ...optional].toSorted(),
            `${name} with the fields`,
          );
          expectEqual(
            list(model["required"]).map(String).toSorted(),
            required.toSorted(),
            `${name} with the required fields`,
          );
          for (const [field, wanted] of Object.entries(keywords)) {
            const schema = resolve(document, asObject(properties[field]));
            const received = Object.fromEntries(Object.keys(wanted).map((keyword) => [keyword, schema[keyword]]));
            expectEqual(received, wanted, `${name}.${field} with`);
          }
        },
      }) satisfies Case,
  ),
  ...responses.map(
    ({ name, model, ask }) =>
      ({
        name: `description: ${name} matches ${model}`,
        async run(target) {
          const document = await fetchDescription(target);
          const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, logger: false });
          ajv.addFormat("uuid", uuidShape);
          const validate = ajv.addSchema(document, "description").getSchema(`description#/components/schemas/${model}`);
          if (!validate) throw new Mismatch(`the schema ${model}`, "none");
          const response = await ask(target);
          const fits = validate(response.json) === true;
          expect(fits, `a body that matches ${model}`, `${describe(response)}: ${ajv.errorsText(validate.errors)}`);
        },
      }) satisfies Case,
  ),
];

async function fetchDescription(target: TestedServer): Promise<Json> {
  const response = await sendCall(target, { path: "/v1/openapi.json", auth: {} });
  const document = asObject(response.json);
  const fits = response.status === 200 && response.contentType.startsWith("application/json") && "openapi" in document;
  expect(fits, "200 application/json with an OpenAPI document, without a key", describe(response));
  return document;
}

function at(value: unknown, path: string[]): unknown {
  return path.reduce<unknown>((inner, key) => asObject(inner)[key], value);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Resolves one `$ref` within the document. */
function resolve(document: Json, schema: Json): Json {
  const { $ref } = schema;
  return typeof $ref === "string" ? asObject(at(document, $ref.replace(/^#\//, "").split("/"))) : schema;
}

function expectRef(document: Json, path: string[], model: string): void {
  expectEqual(at(document, [...path, "$ref"]), `#/components/schemas/${model}`, `${path.join(" ")} with $ref`);
}

function expectBothSchemes(document: Json, security: Json[]): void {
  const alternatives = security.map((requirement) => Object.keys(requirement));
  const expected = "either an HTTP bearer or an X-API-Key header scheme, and no unauthenticated alternative";
  const schemes = alternatives.flat().map((name) => asObject(at(document, ["components", "securitySchemes", name])));
  const hasBearer = schemes.some(({ type, scheme }) => type === "http" && String(scheme).toLowerCase() === "bearer");
  const hasHeader = schemes.some(
    (scheme) => scheme["type"] === "apiKey" && scheme["in"] === "header" && /^x-api-key$/i.test(String(scheme["name"])),
  );
  const never = alternatives.every((names) => names.length > 0);
  expect(hasBearer && hasHeader && never, expected, JSON.stringify({ security, schemes }));
}
