import { afterAll, beforeAll, expect, test } from "vitest";
import { type OperationName, operations } from "../../../src/manage/contract/operations/manage-operations.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";
import { bodyOf, isHeaderValue, mostly, odd, oddRequests, pathOf } from "../../support/odd-requests.ts";
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
  const run = await service.call("POST", "/runs", { body: { agent_id, name: "r", input_text: "hello" } });
  known = [organization?.id ?? "", templateId, key?.hash ?? "", run.body["id"] as string, "1", "hello.txt"];
});
afterAll(() => service[Symbol.asyncDispose]());

const definition = { name: "n", instructions: "i", webFetch: { hosts: ["docs.example.com"] }, limits: { steps: 2 } };

/** A valid body of each operation that has one, apart from its ids. */
const validBodies: Partial<Record<OperationName, object>> = {
  create_organization: { name: "o" },
  update_organization: { max_running: 1, max_dollars_per_day: 1, max_stored_bytes: 1, max_pending_upload_bytes: 1 },
  set_model: { provider: "demo", enabled: true, compat: { supportsStreaming: true } },
  set_web_fetch: { hosts: ["docs.example.com"] },
  test_model: { provider: "demo" },
  list_models: { provider: "demo" },
  store_secret: { value: "key", hosts: ["api.example.com"] },
  create_agent: { organization_id: "", definition },
  update_agent: { definition },
  create_key: { name: "k" },
  create_operator: { name: "o", role: "viewer" },
  create_run: { agent_id: "", name: "r", input_text: "i", files: [{ filename: "f", content_base64: "YQ==" }] },
  create_input: { input_text: "t" },
};

const names = Object.keys(operations).filter((name) => name !== "revoke_operator") as OperationName[];
const parameters = "limit cursor since until q status at after max_text agent_id other".split(" ");
const ifMatch = mostly("*", fc.oneof(odd, fc.constantFrom('"0"', 'W/"1"')));

test("no request makes the service fail, and every response matches the contract", async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(oddRequests(names, parameters, ifMatch), async (chosen) => {
      const { name, body, header } = chosen;
      const ids = { organization_id: known[0], agent_id: known[1] };
      const valid = validBodies[name];
      const named =
        valid &&
        Object.fromEntries(Object.entries(valid).map(([key, value]) => [key, ids[key as "agent_id"] ?? value]));
      const path = pathOf(operations[name], "/manage/v1", chosen, known);
      const { status } = await service.call(operations[name].method, path, {
        body: bodyOf(named, body),
        headers: isHeaderValue(header) ? { "if-match": header } : {},
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 300 },
  );
  // The requests are malformed in different ways, and some are not.
  expect([200, 201, 404, 422].filter((status) => (statuses.get(status) ?? 0) < 5)).toEqual([]);
});
