import { describe, expect, test } from "vitest";
import { forGenerators } from "../../../src/http/openapi-schemas.ts";
import { openapiDocument as ext } from "../../../src/ext/generated/openapi.ts";
import { openapiDocument as manage } from "../../../src/manage/generated/openapi.ts";
import { openapiDocument as v1 } from "../../../src/v1/generated/openapi.ts";

type Schema = Record<string, unknown>;

const schemasOf = (document: string): Record<string, Schema> =>
  (JSON.parse(document) as { components: { schemas: Record<string, Schema> } }).components.schemas;

const inPascalCase = (text: string): string =>
  text.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The names that generators give to the objects within a schema: of its own name and those of the properties. */
function inlineNames(schema: Schema, name: string): string[] {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  return properties.flatMap(([property, value]) => {
    const own = name + inPascalCase(property);
    const within = [value, (value["items"] ?? {}) as Schema].filter((each) => "properties" in each);
    return within.flatMap((each) => [own, `${own}Item`].concat(inlineNames(each, own)));
  });
}

// Generators fail on what is valid: OpenAPITools' Go client declares the constructor `NewLimits` of `Limits`
// (microsoft/kiota#3920), and openapi-python-client drops models with the same name (openapi-generators/openapi-python-client#1256).
describe.each(Object.entries({ v1, ext, manage }))("the document of %s", (_, document) => {
  const schemas = schemasOf(document);

  test("has no model with the name of another one's constructor", () => {
    expect(Object.keys(schemas).filter((name) => name.startsWith("New") && name.slice(3) in schemas)).toEqual([]);
  });

  test("has no object within a model that generators give the name of another model", () => {
    const taken = Object.entries(schemas).flatMap(([name, schema]) =>
      inlineNames(schema, name).filter((inline) => inline in schemas),
    );
    expect(taken).toEqual([]);
  });

  test("has the forms that generators compile", () => {
    expect(forGenerators(schemas)).toEqual(schemas);
  });
});

test("choices are typed, and empty objects are no defaults", () => {
  const choices = {
    flag: { enum: [true, false] },
    set: { enum: [true] },
    length: { enum: ["any", 9], description: "L" },
  };
  const limits = { type: "object", default: {}, properties: choices };
  expect(forGenerators({ limits, list: { type: "array", default: [] } })).toEqual({
    limits: {
      type: "object",
      properties: {
        flag: { type: "boolean" },
        set: { type: "boolean", const: true },
        length: {
          anyOf: [
            { type: "string", enum: ["any"] },
            { type: "integer", enum: [9] },
          ],
          description: "L",
        },
      },
    },
    list: { type: "array", default: [] },
  });
});
