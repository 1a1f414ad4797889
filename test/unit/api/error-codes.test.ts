import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as client from "../../../clients/typescript/src/errors.ts";
import { errorClasses } from "../../../clients/typescript/src/generated/error-codes.ts";
import { openapiDocument as publicDocument } from "../../../src/v1/generated/openapi.ts";
import { clientClasses, type ErrorEntry, errorsOf } from "../../../src/error-codes.ts";
import { openapiDocument as extDocument } from "../../../src/ext/generated/openapi.ts";
import { openapiDocument as manageDocument } from "../../../src/manage/generated/openapi.ts";
import { inlineResponses } from "../../support/inline-responses.ts";

interface Document {
  components: { schemas: { Error: { properties: { code: { enum: string[] } } } } };
  paths: Record<string, Record<string, { responses: Record<string, DocumentedResponse> }>>;
}

interface DocumentedResponse {
  content?: { "application/json"?: { examples?: Record<string, { value: { code?: string } }> } };
}

test.each([
  ["extension", extDocument, errorsOf("ext")],
  ["management", manageDocument, errorsOf("manage")],
])("the document of the %s API names the codes of the table, with their statuses", (_, text, table) => {
  const { components, paths } = inlineResponses(JSON.parse(text) as Document);
  expect(components.schemas.Error.properties.code.enum).toEqual(Object.keys(table));
  const documented = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, { content }]) => {
      const examples = Object.values(content?.["application/json"]?.examples ?? {});
      return examples.flatMap(({ value: { code } }) => (code === undefined ? [] : [[code, Number(status)] as const]));
    });
  expect(new Set(documented.map(([code]) => code)).size).toBeGreaterThan(30);
  const statuses: Record<string, ErrorEntry> = table;
  for (const [code, status] of documented) expect([code, statuses[code]?.status]).toEqual([code, status]);
});

test("v1 has the errors of its document only", () => {
  const { paths } = JSON.parse(publicDocument) as Document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const documented = new Set(operations.flatMap(({ responses }) => Object.keys(responses).map(Number)));
  const everyPath = new Set(["not_found", "method_not_allowed", "internal_error"]);
  const table = Object.entries<ErrorEntry>(errorsOf("v1"));
  expect(table.filter(([code, { status }]) => !everyPath.has(code) && !documented.has(status))).toEqual([]);
  const ofOthers = /^(upload|operator|organization|webhook|delivery|step|idempotency|queue)_/;
  expect(table.filter(([code]) => ofOthers.test(code))).toEqual([]);
});

test("both clients have the class that the table names for each code of the extension API", () => {
  const classes = clientClasses();
  expect(Object.fromEntries([...errorClasses].map(([code, { name }]) => [code, name]))).toEqual(classes);
  expect(Object.keys(classes)).toEqual(Object.keys(errorsOf("ext")));
  const [python = "", base = ""] = ["_error_classes", "_api_error"].map((name) =>
    readFileSync(`clients/python/agent_runs/${name}.py`, "utf8"),
  );
  for (const name of new Set(Object.values(classes))) {
    expect(client).toHaveProperty(name);
    expect(base + python).toMatch(new RegExp(`^class ${name}\\(`, "m"));
    if (name !== "APIError") expect(python).toContain(`    "${name}",\n`); // of __all__
  }
});

test.each(Object.entries(errorsOf("ext")))("the TypeScript client knows %s", (code, { status, detail }) => {
  const response = { status, detail, code, requestId: undefined, retryAfter: undefined, issues: [] };
  expect(client.errorOf("GET /ext/v1/runs", response).name).toBe(clientClasses()[code]);
});
