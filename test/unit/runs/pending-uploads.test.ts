import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import { uploadKey } from "../../../src/platform/aws/pending-uploads.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import { beginUpload, receiveUpload } from "../../../src/runs/files/pending-uploads.ts";
import type { PendingUpload, Stores } from "../../../src/runs/ports.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

// test/unit/ext/uploads.test.ts has uploads over HTTP.

interface Opened {
  stores: Stores;
  send: (upload: PendingUpload, content: Uint8Array) => Promise<unknown>;
  /** Names of what is stored for runs. */
  stored: () => string[];
}

const day = 24 * 3_600_000;

/** An agent whose runs have uploads. */
async function service(stores: Stores) {
  const model = { provider: "demo", enabled: true } as const;
  const { id: organizationId } = await createOrganization(stores.accounts, { name: "O", model });
  const limits = { steps: 1, tokens: 1, seconds: 1 };
  const definition = { name: "A", instructions: "Answer.", tools: [], limits };
  const { id: agentId } = await createAgent(stores.accounts, organizationId, definition);
  const owner = { agentId, organizationId };
  const clock = { now: Date.now() };
  const workflow = { start: async () => {}, stop: async () => {} };
  const deps = { ...stores, workflow, now: () => clock.now, secretRefusal: () => undefined, maxBytes: 1_000 };
  const begin = (name: string, content: Buffer) =>
    beginUpload(deps, owner, { name, size: content.length, sha256: sha256Of(content) });
  const create = (uploads: string[]) => {
    const files = [{ name: "c.txt", content: () => Buffer.from("c") }];
    return createRun(deps, owner, { name: "R", text: "Go.", uploads, files });
  };
  return { agentId, deps, clock, begin, create };
}

function local(): Opened {
  const stores = temporaryStores();
  return {
    stores,
    send: (upload, content) => stores.pendingUploads.receive(upload, ReadableStream.from([content])),
    stored: () => readdirSync(join(stores.dataDir, "workspaces")),
  };
}

function aws(): Opened {
  const stores = fakeAwsStores();
  return {
    stores,
    send: async (upload, content) => stores.putObject(uploadKey(upload), content),
    stored: () => stores.objectKeys().filter((key) => key.startsWith("workspaces/")),
  };
}

test.each([
  ["local", local],
  ["AWS", aws],
])("a create that names an upload that has not arrived stores nothing, and works when it has (%s)", async (_, open) => {
  const { stores, send, stored } = open();
  const { begin, create } = await service(stores);
  const [a, b] = [Buffer.from("a"), Buffer.from("b")];
  const [sent, missing] = [await begin("a.txt", a), await begin("b.txt", b)];
  await send(sent, a);
  await expect(create([sent.id, missing.id])).rejects.toMatchObject({
    code: "upload_incomplete",
    message: `The content of upload ${missing.id} ("b.txt") has not arrived; send it with PUT first`,
  });
  expect(stored()).toEqual([]);
  await send(missing, b);
  await create([sent.id, missing.id]);
  expect(stored()).not.toEqual([]);
});

test("a content is not received any more after a day, when the upload has expired", async () => {
  const stores = temporaryStores();
  const { agentId, deps, clock, begin, create } = await service(stores);
  const content = Buffer.from("the content");
  const upload = await begin("a.txt", content);
  expect(upload.expiresAt - upload.createdAt).toBe(day);
  const { receive } = stores.pendingUploads;
  const send = () =>
    receiveUpload({ ...deps, receive }, [agentId], upload.id, {
      length: content.length,
      chunks: ReadableStream.from([content.subarray(0, 4), content.subarray(4)]),
    });
  await send();
  clock.now += day - 1;
  await create([upload.id]);
  clock.now += 1;
  await expect(create([upload.id])).rejects.toMatchObject({ code: "upload_not_found" });
  await expect(send()).rejects.toMatchObject({ code: "upload_not_found" });
});
