import { afterAll, beforeAll, expect, test } from "vitest";
import { type OperationName, operations } from "../../../src/manage/contract/operations/index.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";
import fc from "../../support/properties.ts";

let service: ManageService;
/** Values that a path parameter or a field may have: those of stored records among them. */
let known: string[];
beforeAll(async () => {
  service = await manageService();
  const { platform, templateId } = service;
  const [organization] = await platform.accounts.listOrganizations();
  const [key] = await platform.accounts.listKeys(templateId);
  const agent_id = templateId;
  const run = await service.call("POST", "/runs", { body: { agent_id, name: "r", input: "hello" } });
  known = [organization?.id ?? "", templateId, key?.hash ?? "", run.body["id"] as string, "1", "hello.txt"];
});
afterAll(() => service[Symbol.asyncDispose]());

const definition = { name: "n", instructions: "i", mcp: [{ name: "m", url: "https://x.example", headers: {} }] };

/** A valid body of each operation that has one, apart from its ids. */
const validBodies: Partial<Record<OperationName, object>> = {
  create_organization: { name: "o" },
  update_organization: { max_running: 1, max_dollars_per_day: 1 },
  set_model: { provider: "demo", enabled: true, compat: { supportsStreaming: true } },
  test_model: { provider: "demo" },
  create_agent: { organization_id: "", definition },
  update_agent: { definition },
  create_key: { name: "k" },
  create_operator: { name: "o", role: "viewer" },
  create_run: { agent_id: "", name: "r", input: "i", files: [{ filename: "f", content_base64: "YQ==" }] },
  create_input: { text: "t" },
};

const odd = fc.constantFrom(
  "",
  " ",
  "\0",
  "%",
  "%00",
  "../x",
  "__proto__",
  "NaN",
  "1e400",
  "-1",
  "\ud800",
  "é\u0301",
  "💥",
  "x".repeat(3_000),
);
const textValue = fc.oneof(odd, fc.string({ unit: "binary", maxLength: 20 }));
const jsonValue = fc.oneof(fc.jsonValue({ maxDepth: 3 }), odd, fc.constantFrom(2 ** 53, -0, 1e308, [], {}, null));

const mostly = <Value>(usual: Value, other: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });

interface Choices {
  name: OperationName;
  inPath: string[];
  useKnown: number[];
  query: [string, string][];
  body: { replaceAt: number; value: unknown; raw: string | undefined };
  ifMatch: string;
}

const names = Object.keys(operations).filter((name) => name !== "revoke_operator") as OperationName[];
const choices: fc.Arbitrary<Choices> = fc.record({
  name: fc.constantFrom(...names),
  inPath: fc.array(textValue, { minLength: 2, maxLength: 2 }),
  useKnown: fc.array(fc.nat({ max: 9 }), { minLength: 2, maxLength: 2 }),
  query: mostly(
    [],
    fc.array(
      fc.tuple(
        fc.constantFrom(
          "limit",
          "cursor",
          "since",
          "until",
          "q",
          "status",
          "at",
          "after",
          "max_text",
          "agent_id",
          "other",
        ),
        fc.oneof(textValue, fc.constantFrom("1", "1.1", "2026-11-22", "2026-02-31T00:00:00Z", "running")),
      ),
      { maxLength: 3 },
    ),
  ),
  body: fc.record({
    replaceAt: fc.nat({ max: 30 }),
    value: jsonValue,
    raw: mostly<string | undefined>(undefined, fc.oneof(textValue, fc.json())),
  }),
  ifMatch: mostly("*", fc.oneof(odd, fc.constantFrom('"0"', 'W/"1"'))),
});

/** The body with the value at one place, counted depth first, replaced. */
function mutated(body: unknown, at: number, value: unknown): unknown {
  let place = 0;
  return JSON.parse(JSON.stringify(body), (_, each: unknown) => (place++ === at ? value : each)) as unknown;
}

function pathOf({ name, inPath, useKnown, query }: Choices): string {
  let index = 0;
  const path = operations[name].path.slice("/manage/v1".length).replaceAll(/\{\w+\}/g, () => {
    const choice = known[useKnown[index] ?? 0] ?? inPath[index] ?? "";
    index++;
    return encodeURIComponent(choice.toWellFormed()) || "-";
  });
  const search = query.map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`).join("&");
  return search === "" ? path : `${path}?${search}`;
}

test("no request makes the service fail, and every response matches the contract", async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(choices, async (chosen) => {
      const { name, body, ifMatch } = chosen;
      const ids = { organization_id: known[0], agent_id: known[1] };
      const valid = validBodies[name];
      const named =
        valid &&
        Object.fromEntries(Object.entries(valid).map(([key, value]) => [key, ids[key as "agent_id"] ?? value]));
      const sent = named && (body.raw ?? mutated(named, body.replaceAt, body.value));
      const isHeader = /^[\u0020-\u007e]*$/.test(ifMatch);
      const { status } = await service.call(operations[name].method, pathOf(chosen), {
        body: sent,
        headers: isHeader ? { "if-match": ifMatch } : {},
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 300 },
  );
  // The requests are malformed in different ways, and some are not.
  expect([200, 201, 404, 422].filter((status) => (statuses.get(status) ?? 0) < 5)).toEqual([]);
});
