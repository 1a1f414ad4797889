import { describe, expect, test } from "vitest";
import { operations as extOperations } from "../../../src/ext/contract/operations/ext-operations.ts";
import { pathParameters as extParameters } from "../../../src/ext/contract/operations/parameters.ts";
import { openapiDocument as extDocument } from "../../../src/ext/generated/openapi.ts";
import { pathParameterNames } from "../../../src/http/openapi-document.ts";
import { operations as manageOperations } from "../../../src/manage/contract/operations/manage-operations.ts";
import { pathParameters as manageParameters } from "../../../src/manage/contract/operations/parameters.ts";
import { openapiDocument as manageDocument } from "../../../src/manage/generated/openapi.ts";
import { contractSuite } from "../../support/contract-suite.ts";

describe.each([
  ["extension API", extDocument, extOperations, extParameters],
  ["management API", manageDocument, manageOperations, manageParameters],
] as const)("the contract of the %s", (_name, document, operations, pathParameters) => {
  contractSuite(document);

  test("operations have unique names and known path parameters", () => {
    for (const [name, { operationId, path }] of Object.entries(operations)) {
      expect(operationId).toBe(name);
      for (const parameter of pathParameterNames(path)) expect(pathParameters).toHaveProperty(parameter);
    }
  });
});

test("operations of the management API have a role by method", () => {
  for (const { method, role } of Object.values(manageOperations)) {
    expect(role).toBe(method === "GET" ? "viewer" : "operator");
  }
});
