import { expect, test } from "vitest";
import { pathParameterNames } from "../../../src/http/openapi-document.ts";
import { operations } from "../../../src/ext/contract/operations/index.ts";
import { pathParameters } from "../../../src/ext/contract/operations/parameters.ts";
import { openapiDocument } from "../../../src/ext/generated/openapi.ts";
import { contractSuite } from "../../support/contract-suite.ts";

contractSuite(openapiDocument);

test("operations have unique names and known path parameters", () => {
  for (const [name, { operationId, path }] of Object.entries(operations)) {
    expect(operationId).toBe(name);
    for (const parameter of pathParameterNames(path)) expect(pathParameters).toHaveProperty(parameter);
  }
});
