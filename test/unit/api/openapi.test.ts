import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { operations, schemas } from "../../../src/v1/contract.ts";
import { parseJsonBody } from "../../../src/http/validation/parse-json.ts";
import { validateCreate, validateRunId } from "../../../src/v1/public-requests.ts";
import { openapiDocument } from "../../../src/v1/generated/openapi.ts";
import { lintDocument } from "../../support/redocly.ts";

interface Document {
  openapi: string;
  info: { title: string; version: string };
  security: object[];
  paths: Record<string, Record<string, DocumentOperation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
}
interface DocumentOperation {
  operationId: string;
  security?: object[];
  requestBody?: { required: boolean };
  responses: Record<
    string,
    { headers: Record<string, object>; content: Record<string, { schema: object; examples?: object }> }
  >;
}

const issuesOf = (checked: object) => ("issues" in checked ? checked.issues : []);
const document = JSON.parse(openapiDocument) as Document;
const ajv = new Ajv2020({ allowUnionTypes: true, formats: { uuid: /^[0-9a-f-]{36}$/ } });
ajv.addVocabulary(["components"]);
ajv.addSchema({ $id: "document", components: document.components });

test("has no violation of Redocly's recommended rules", async () => {
  const { problems, totals } = await lintDocument(openapiDocument);
  expect(problems).toEqual([]);
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});

test("has a title, a version and both authentication schemes", () => {
  expect(document).toMatchObject({ openapi: "3.1.0", info: { title: "Agents API", version: "1.0" } });
  expect(Object.values(document.components.securitySchemes)).toMatchObject([
    { type: "http", scheme: "bearer" },
    { type: "apiKey", in: "header", name: "X-API-Key" },
  ]);
  expect(document.security).toEqual(Object.keys(document.components.securitySchemes).map((name) => ({ [name]: [] })));
});

test("every operation has its statuses, and only the description needs no key", () => {
  const { post } = document.paths["/v1/agents"] ?? {};
  const { get } = document.paths["/v1/agents/{agent_id}"] ?? {};
  const { get: description } = document.paths["/v1/openapi.json"] ?? {};
  expect(Object.keys(document.paths)).toHaveLength(3);
  const summary = [post, get, description].map((operation) => ({
    operationId: operation?.operationId,
    security: operation?.security,
    statuses: Object.keys(operation?.responses ?? {}).map(Number),
  }));
  expect(summary).toEqual([
    {
      operationId: "public_create_agent",
      security: undefined,
      statuses: [201, 401, 403, 404, 408, 409, 413, 422, 429, 503],
    },
    { operationId: "public_get_agent", security: undefined, statuses: [200, 401, 404, 422, 429, 502, 503] },
    { operationId: "public_get_openapi_schema", security: [], statuses: [200] },
  ]);
  expect(post?.requestBody?.required).toBe(true);
});

/** The operations and statuses whose response has a header. */
const statusesWith = (header: string) =>
  Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, { headers }]) =>
        header in headers ? `${operationId} ${status}` : [],
      ),
    ),
  );

test("every response has its headers", () => {
  expect(statusesWith("WWW-Authenticate")).toEqual(["public_create_agent 401", "public_get_agent 401"]);
  expect(statusesWith("Retry-After")).toEqual([
    "public_create_agent 429",
    "public_create_agent 503",
    "public_get_agent 429",
  ]);
  expect(statusesWith("x-request-id")).toHaveLength(18);
});

test("describes the states of a run in the words of the specification", () => {
  const { PublicAgentStatusResponse } = document.components.schemas as typeof schemas;
  expect(PublicAgentStatusResponse.properties.loop_status.description).toContain(
    "The agent is idle. When it ended its turn normally, the output for the last input is complete.",
  );
});

describe("schemas", () => {
  test("are the models of the specification", () => {
    expect(Object.keys(document.components.schemas).sort()).toEqual(Object.keys(schemas).sort());
    expect(Object.keys(schemas).sort()).toEqual([
      "HTTPValidationError",
      "PublicAgentFileInput",
      "PublicAgentStatusResponse",
      "PublicCreateAgentRequest",
      "PublicCreateAgentResponse",
      "PublicErrorResponse",
      "TranscriptMessage",
      "ValidationError",
    ]);
  });

  test.for(Object.keys(schemas))("%s compiles in ajv's strict mode", (name) => {
    const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
    expect(validate("no object")).toBe(false);
  });

  test("every error text matches the schema of its response", () => {
    let checked = 0;
    for (const { method, path, responses } of Object.values(operations)) {
      for (const [status, { details = [] }] of Object.entries(responses)) {
        const { schema } =
          document.paths[path]?.[method.toLowerCase()]?.responses[status]?.content["application/json"] ?? {};
        const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
        for (const detail of details) {
          expect(ajv.validate(inDocument, { detail }), `${method} ${path} ${status} ${JSON.stringify(detail)}`).toBe(
            true,
          );
          checked++;
        }
      }
    }
    expect(checked).toBe(25);
  });

  test("the issues in examples are those of the validators", async () => {
    const template_id = "00000000-0000-4000-8000-000000000001";
    const tooLong = { name: "n".repeat(1_001), template_id };
    const notSentAsJson = await parseJsonBody(JSON.stringify(tooLong));
    expect(operations.create.responses[422]?.details?.slice(1)).toEqual(
      [validateCreate(tooLong), validateCreate({ name: "Weekly report" }), notSentAsJson].map(issuesOf),
    );
    expect(operations.get.responses[422]?.details).toEqual([issuesOf(validateRunId("abcdef"))]);
  });
});
