import { expectTypeOf, test } from "vitest";
import type { CreateBody, CreateResponse, StatusResponse } from "../../../lambdas/api/contract.ts";
import type { ValidationIssue } from "../../../lambdas/api/issues.ts";
import type { components } from "../../client/generated/api.d.ts";

type Schemas = components["schemas"];

// Checked by tsc; the types of bodies and what a generated client knows of them are the same.
test("the types of bodies are those of the schemas", () => {
  expectTypeOf<CreateBody>().toExtend<Schemas["PublicCreateAgentRequest"]>();
  expectTypeOf<Schemas["PublicCreateAgentRequest"]>().toExtend<CreateBody>();
  expectTypeOf<CreateResponse>().toEqualTypeOf<Schemas["PublicCreateAgentResponse"]>();
  expectTypeOf<StatusResponse>().toEqualTypeOf<Schemas["PublicAgentStatusResponse"]>();
  expectTypeOf<ValidationIssue>().toExtend<Schemas["ValidationError"]>();
});
