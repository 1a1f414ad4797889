import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../../../src/ext/contract/operations/ext-operations.ts";
import { schemas } from "../../../src/ext/contract/schemas/ext-schemas.ts";
import type { Schemas } from "../../../src/ext/call.ts";
import { startRun, untilState } from "../../support/ext-runs.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";

let service: ExtService;
let id: string;
beforeAll(async () => {
  service = await extService();
  const files = [{ filename: "note.txt", content_base64: "YQ==" }];
  id = await startRun(service, { name: "Private", input_text: "Read.", files });
  await untilState(service, id, "finished");
});
afterAll(() => service[Symbol.asyncDispose]());

/** A body with the required fields of a schema. */
function anyBody(name: string): object {
  const { required = [], properties } = schemas[name as keyof typeof schemas] as unknown as BodySchema;
  return Object.fromEntries(required.map((field) => [field, anyValue(properties[field])]));
}

function anyValue({ type, pattern, examples = [] }: FieldSchema = {}): unknown {
  if (type === "object") return {};
  return examples[0] ?? (pattern?.includes("0-9a-f") ? "0".repeat(64) : "x");
}

interface BodySchema {
  required?: string[];
  properties: Record<string, FieldSchema>;
}

interface FieldSchema {
  type?: string;
  pattern?: string;
  examples?: unknown[];
}

const unknown = "00000000-0000-4000-8000-000000000001";
const ofRuns = Object.values(operations).filter(({ path }) => path.includes("{run_id}"));

test.for(ofRuns)(
  "another agent's key cannot $operationId: the response is that to an unknown run",
  async (operation) => {
    const { method, path, request } = operation;
    const body = request === undefined ? {} : { body: anyBody(request) };
    const pathFor = (run: string) =>
      path.slice("/ext/v1".length).replace("{run_id}", run).replace("{name}", "note.txt").replace("{token_id}", "x");
    const foreign = await service.stranger.call(method, pathFor(id), body);
    const none = await service.stranger.call(method, pathFor(unknown), body);
    expect([foreign.status, foreign.body["code"]]).toEqual([404, "run_not_found"]);
    expect(foreign.body).toEqual({ ...none.body, detail: String(none.body["detail"]).replace(unknown, id) });
  },
);

test("a list has only runs of the key's agent", async () => {
  for (const query of ["", "?q=Private", `?q=${id}`]) {
    expect((await service.call<Schemas["RunPage"]>("GET", `/runs${query}`)).body.data).toMatchObject([{ id }]);
    expect((await service.stranger.call<Schemas["RunPage"]>("GET", `/runs${query}`)).body.data).toEqual([]);
  }
});
