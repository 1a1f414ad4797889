import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { authenticate } from "../../src/accounts/authenticate.ts";
import { issueKey } from "../../src/accounts/keys.ts";
import { createRun } from "../../src/runs/create-run.ts";
import { readRun } from "../../src/runs/read-run.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";

const file = (index: number) => ({ filename: `${index}.txt`, content_base64: "YQ==" });

// The start of the execution is one more call, which the fake does not count.
test.each([
  ["without files", { files: [] }, 3],
  ["with 10 files", { files: Array.from({ length: 10 }, (_, index) => file(index)) }, 3],
  ["with an input of 100 KB", { files: [file(0)], input_text: "x".repeat(100_000) }, 4],
])("a create %s makes a fixed number of sequential AWS calls", async (_, input, expected) => {
  const { stores, key, agentId } = await platformWithAgent();
  const before = stores.sequentialCalls();
  const deps = {
    ...stores,
    workflow: { start: async () => {}, stop: async () => {} },
    now: Date.now,
    secretRefusal: () => undefined,
  };
  const principal = await authenticate(stores, key);
  const runId = await createRun(deps, principal, { name: "n", template_id: agentId, input_text: "x", ...input });
  expect(stores.sequentialCalls() - before).toBe(expected);

  const created = stores.sequentialCalls();
  await readRun(stores, authenticate(stores, key), runId);
  const largeText = "input_text" in input ? 1 : 0;
  expect(stores.sequentialCalls() - created).toBe(1 + largeText);
});

async function platformWithAgent() {
  const stores = fakeAwsStores(undefined, { delay: 20 });
  const [id, organizationId] = [randomUUID(), randomUUID()];
  const { accounts } = stores;
  await accounts.createOrganization({ id: organizationId, name: "O", model: { enabled: true, provider: "demo" } });
  const limits = { steps: 1, tokens: 1, seconds: 1 };
  await accounts.createAgent({ id, organizationId, name: "A", instructions: "", tools: [], limits, status: "active" });
  const { key } = await issueKey(accounts, { id, organizationId });
  return { stores, key, agentId: id };
}
