import { expect, test } from "vitest";
import { pathParameterNames } from "../../../src/http/openapi-document.ts";
import { operations } from "../../../src/manage/contract/operations/index.ts";
import { pathParameters } from "../../../src/manage/contract/operations/parameters.ts";
import { openapiDocument } from "../../../src/manage/generated/openapi.ts";
import { contractSuite } from "../../support/contract-suite.ts";

contractSuite(openapiDocument);

test("operations have unique names, known path parameters, and a role by method", () => {
  for (const [name, { operationId, path, method, role }] of Object.entries(operations)) {
    expect(operationId).toBe(name);
    expect(role).toBe(method === "GET" ? "viewer" : "operator");
    for (const parameter of pathParameterNames(path)) expect(pathParameters).toHaveProperty(parameter);
  }
});
