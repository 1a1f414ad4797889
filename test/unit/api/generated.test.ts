import { readFileSync } from "node:fs";
import { expect, expectTypeOf, test } from "vitest";
import type { CreateBody, CreateResponse, StatusResponse } from "../../../src/v1/contract.ts";
import type { ValidationIssue } from "../../../src/http/validation/issue.ts";
import { validatorFiles } from "../../../scripts/build-validators.ts";
import type { components } from "../../client/generated/api.d.ts";

test("compiled validators are those of the current schemas, and need no package at run time", () => {
  const files = Object.entries(validatorFiles());
  const folder = new URL("../../../dist/generated/", import.meta.url);
  const stale = files.filter(([name, source]) => readFileSync(new URL(name, folder), "utf8") !== source);
  expect(stale.map(([name]) => name)).toEqual([]);
  const compiled = files.filter(([name]) => name.endsWith(".js"));
  expect(compiled).toHaveLength(9);
  for (const [, source] of compiled) expect(source).not.toMatch(/\brequire\(|\bimport\b(?! .* from "\.)/);
});

// For npm run check:quick, which fails when the types of bodies are not what a generated client knows of them.
type Schemas = components["schemas"];
expectTypeOf<CreateBody>().toExtend<Schemas["PublicCreateAgentRequest"]>();
expectTypeOf<Schemas["PublicCreateAgentRequest"]>().toExtend<CreateBody>();
expectTypeOf<CreateResponse>().toEqualTypeOf<Schemas["PublicCreateAgentResponse"]>();
expectTypeOf<StatusResponse>().toEqualTypeOf<Schemas["PublicAgentStatusResponse"]>();
expectTypeOf<ValidationIssue>().toExtend<Schemas["ValidationError"]>();
