import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { pathParameterNames } from "../../../src/api/openapi-document.ts";
import { operations } from "../../../src/manage/contract/operations/index.ts";
import { pathParameters } from "../../../src/manage/contract/operations/parameters.ts";
import { openapiDocument } from "../../../src/manage/generated/openapi.ts";
import { lintDocument } from "../../support/redocly.ts";

interface Document {
  components: { schemas: Record<string, object> };
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, Content> }> }>>;
}
interface Content {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}

const document = JSON.parse(openapiDocument) as Document;
const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  formats: { uuid: true, date: true, "date-time": true, binary: true },
});
ajv.addVocabulary(["components"]);
ajv.addSchema({ $id: "document", components: document.components });

test("has no violation of Redocly's recommended rules", async () => {
  const { problems } = await lintDocument(openapiDocument);
  expect(problems).toEqual([]);
});

describe("schemas", () => {
  test.for(Object.keys(document.components.schemas))("%s compiles in ajv's strict mode", (name) => {
    expect(ajv.validate({ $ref: `document#/components/schemas/${name}` }, "no object")).toBe(false);
  });

  test("every example of a response matches its schema", () => {
    const wrong: unknown[] = [];
    let checked = 0;
    for (const methods of Object.values(document.paths)) {
      for (const { responses } of Object.values(methods)) {
        for (const { schema, examples = {} } of Object.values(responses).flatMap(({ content = {} }) =>
          Object.values(content),
        )) {
          const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
          for (const { value } of Object.values(examples)) {
            const matches = ajv.validate(inDocument, value);
            if (!matches) wrong.push([value, ajv.errors]);
            checked++;
          }
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(100);
  });
});

test("operations have unique names, known path parameters, and a role by method", () => {
  for (const [name, { operationId, path, method, role }] of Object.entries(operations)) {
    expect(operationId).toBe(name);
    expect(role).toBe(method === "GET" ? "viewer" : "operator");
    for (const parameter of pathParameterNames(path)) expect(pathParameters).toHaveProperty(parameter);
  }
});
