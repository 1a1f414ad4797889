import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { inlineResponses } from "./inline-responses.ts";
import { lintDocument } from "./redocly.ts";

interface Document {
  components: { schemas: Record<string, object> };
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, Content> }> }>>;
}
interface Content {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}

/** Tests of an OpenAPI document, the text of which is given. */
export function contractSuite(openapiDocument: string): void {
  const document = inlineResponses(JSON.parse(openapiDocument) as Document);
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    formats: { uuid: true, uri: true, date: true, "date-time": true, binary: true },
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
      const validators = new Map<string, ValidateFunction>(); // most responses share a few schemas
      const validatorOf = (schema: string) => {
        const known = validators.get(schema) ?? ajv.compile(JSON.parse(schema) as object);
        validators.set(schema, known);
        return known;
      };
      const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
      const contents = operations.flatMap(({ responses }) =>
        Object.values(responses).flatMap(({ content = {} }) => Object.values(content)),
      );
      for (const { schema, examples = {} } of contents) {
        const matches = validatorOf(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
        for (const { value } of Object.values(examples)) {
          if (!matches(value)) wrong.push([value, matches.errors]);
          checked++;
        }
      }
      expect(wrong).toEqual([]);
      expect(checked).toBeGreaterThan(4 * operations.length);
    });
  });
}
