import { afterAll, beforeAll, expect, test } from "vitest";
import { type OperationName, operations } from "../../../src/ext/contract/operations/ext-operations.ts";
import { startRun } from "../../support/ext-runs.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";
import { bodyOf, isHeaderValue, mostly, odd, oddRequests, pathOf } from "../../support/odd-requests.ts";
import fc from "../../support/properties.ts";

let service: ExtService;
/** Values that a path parameter may have: those of stored records among them. */
let known: string[];
beforeAll(async () => {
  service = await extService();
  const files = [{ filename: "hello.txt", content_base64: "YQ==" }];
  const run = await startRun(service, { input_text: "hello", files });
  const upload = await service.call("POST", "/uploads", { body: validBodies.create_upload });
  known = [run, run, service.templateId, "hello.txt", String(upload.body["upload_id"])];
});
afterAll(() => service[Symbol.asyncDispose]());

/** A valid body of each operation that has one. */
const validBodies: Partial<Record<OperationName, object>> = {
  create_run: {
    name: "r",
    input_text: "i",
    files: [{ filename: "f", content_base64: "YQ==" }],
    uploads: [],
    labels: { a: "b" },
  },
  create_input: { input_text: "i" },
  answer_call: { call: "1.1.0", arguments_sha256: "0".repeat(64), output: 1 },
  create_upload: { filename: "f", size: 1, sha256: "0".repeat(64) },
  receive_upload: {}, // any bytes
};
const names = Object.keys(operations) as OperationName[];
const parameters = "limit cursor since until q status label at after max_text agent_id other".split(" ");
const lastEventId = mostly("1", fc.oneof(odd, fc.constantFrom("0", "-1", "999999999")));

test("no request makes the service fail, and every response matches the contract", async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(oddRequests(names, parameters, lastEventId), async (chosen) => {
      const { name, body, header } = chosen;
      const path = pathOf(operations[name], "/ext/v1", chosen, known);
      const { status } = await service.call(operations[name].method, path, {
        body: bodyOf(validBodies[name], body),
        headers: isHeaderValue(header) ? { "last-event-id": header, "idempotency-key": header } : {},
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 360 },
  );
  // The requests are malformed in different ways, and some are not.
  expect([200, 201, 404, 422].filter((status) => (statuses.get(status) ?? 0) < 5)).toEqual([]);
});
