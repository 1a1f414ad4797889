import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgent } from "../../src/accounts/agents/agents.ts";
import { createKey } from "../../src/accounts/keys.ts";
import { checkResult } from "../../src/results/check-result.ts";
import { normalizedSchema } from "../../src/results/normalized-schema.ts";
import { succeed } from "../deploy/processes.ts";
import { root } from "../integration/script.ts";
import { type ExtService, extService } from "../support/ext-service.ts";
import { pythonGenerators, schemaLibraries } from "./installations.ts";

const program = `
import { z } from "zod";
import { z as z40 } from "zod-4.0";
import { z as z3 } from "zod/v3";
import { zodToJsonSchema } from "zod-to-json-schema";
const of = (z) => z.toJSONSchema(z.object({
  email: z.email(), id: z.uuid(), host: z.hostname(), at: z.iso.datetime(), lasts: z.iso.duration(), pair: z.tuple([z.string(), z.int()]),
}));
const line = z3.object({ sku: z3.string().email(), pair: z3.tuple([z3.string(), z3.number()]) });
console.log(JSON.stringify({
  "zod 4.0": of({ ...z40, hostname: () => z40.string() }),
  "zod 4.6": of(z),
  "zod-to-json-schema": zodToJsonSchema(line),
  "zod-to-json-schema with a name": zodToJsonSchema(line, "Line"),
  "zod-to-json-schema with a pattern": zodToJsonSchema(line, { name: "Line", emailStrategy: "pattern:zod" }),
}));
`;

const zod = {
  email: "a.b@example.com",
  id: "0198c0de-0000-4000-8000-000000000000",
  host: "example.com",
  at: "2026-11-30T01:00:00Z",
  lasts: "P1DT2H",
  pair: ["a", 1],
};
const line = { sku: "a@example.com", pair: ["a", 1.5] };
const amounts = { total: "12.50", price: "12345678.12", rate: 0.5, weight: "1.2345" };
const node = { name: "a", children: [{ name: "b", children: [] }] };

/** For each schema a value that fits, and changes of it that do not. */
const values: Record<string, [fits: object, ...others: object[]]> = {
  "zod 4.0": [zod, { email: "a..b@example.com" }, { lasts: "PT" }, { pair: [1, 1] }],
  "zod 4.6": [zod, { email: "a..b@example.com" }, { lasts: "PT" }, { host: "-a" }],
  "zod-to-json-schema": [line, { sku: "a" }, { pair: ["a", 1, 2] }],
  "zod-to-json-schema with a name": [line, { sku: "a" }, { pair: ["a", "b"] }],
  "zod-to-json-schema with a pattern": [line, { sku: "a..b@example.com" }],
  "pydantic Decimal": [amounts, { total: "-." }, { price: "-" }, { rate: "1.23456" }],
  "pydantic recursive model": [node, { name: 1 }, { children: [{}] }],
  "pydantic RootModel": [node, { name: 1 }],
  "pydantic RootModel of a dict": [{ a: 1 }, { a: "1" }],
};

let schemas: Record<string, object>;
let service: ExtService;
let apiKey: string;
beforeAll(async () => {
  const file = join(dirname(await schemaLibraries()), "schemas.mjs");
  writeFileSync(file, program);
  const outputs = [
    await succeed("node", [file]),
    await succeed(join(await pythonGenerators(), "python"), [join(root, "test/clients/generated_schemas.py")]),
  ];
  schemas = Object.assign({}, ...outputs.map((output) => JSON.parse(output) as object)) as typeof schemas;
  service = await extService();
  const { accounts } = service.platform;
  const { organizationId = "" } = (await accounts.findAgent(service.templateId)) ?? {};
  const limits = { steps: 9, tokens: 1e6, seconds: 60 };
  const definition = { name: "Typed", instructions: "Go.", tools: [], limits, result: { perRun: true } };
  const { id } = await createAgent(accounts, organizationId, definition);
  apiKey = (await createKey(accounts, id, {})).key;
}, 600_000);
afterAll(() => service[Symbol.asyncDispose]());

test.each(Object.entries(values))(
  "a create accepts the schema of %s, whose checks are all made",
  { timeout: 600_000 },
  async (name, [fits, ...others]) => {
    const schema = schemas[name] ?? {};
    const response = await fetch(`${service.baseUrl}/ext/v1/runs`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ name, result_schema: schema }),
    });
    expect([response.status, await response.text()]).toEqual([201, expect.stringContaining('"id"')]);
    const check = (value: object) => checkResult(normalizedSchema(schema), JSON.stringify(value));
    expect(await check(fits)).toEqual([]);
    for (const other of others) expect(await check({ ...fits, ...other })).not.toEqual([]);
  },
);
