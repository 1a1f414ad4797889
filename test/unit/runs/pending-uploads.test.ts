import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { sha256Of } from "../../../src/agent/turn/manifest.ts";
import { uploadKey } from "../../../src/platform/aws/pending-uploads.ts";
import { createRun } from "../../../src/runs/create-run.ts";
import { beginUpload, receiveUpload } from "../../../src/runs/files/pending-uploads.ts";
import type { PendingUpload, Stores } from "../../../src/runs/ports.ts";
import { readRunFile, listRunFiles } from "../../../src/runs/files/read-files.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

interface Opened {
  stores: Stores;
  send: (upload: PendingUpload, content: Uint8Array) => Promise<void>;
  /** Ids of runs that have files. */
  workspaces: () => Promise<string[]>;
}

const platforms: [string, () => Opened][] = [
  ["local", openLocal],
  [
    "AWS",
    () => {
      const { putObject, objectKeys, ...stores } = fakeAwsStores();
      return {
        stores,
        send: async (upload, content) => putObject(uploadKey(upload), content),
        workspaces: async () => objectKeys().flatMap((key) => /^workspaces\/([^/]+)/.exec(key)?.[1] ?? []),
      };
    },
  ],
];

const day = 24 * 3_600_000;
const maxBytes = 1_000;

describe.each(platforms)("on %s", (_, open) => {
  test("a run starts with the uploads that its create names, beside its other files, with unique names", async () => {
    const { begin, create, send, stores } = await service(open());
    const [a, b] = [await begin("report.txt", "first"), await begin("../Report.TXT", "second")];
    await send(a, Buffer.from("first"));
    await send(b, Buffer.from("second"));
    const files = [{ name: "report.txt", content: () => Buffer.from("inline") }];
    const id = await create([a.id, b.id.toUpperCase()], { files });
    const { files: listed } = await listRunFiles(stores, id);
    expect(listed).toEqual([
      { name: "Report (3).TXT", sentAs: "../Report.TXT", size: 6, sha256: sha256Of(Buffer.from("second")) },
      { name: "report (2).txt", sentAs: "report.txt", size: 5, sha256: sha256Of(Buffer.from("first")) },
      { name: "report.txt", size: 6, sha256: sha256Of(Buffer.from("inline")) },
    ]);
    const { content } = await readRunFile(stores, id, "Report (3).TXT");
    expect(Buffer.from(content).toString()).toBe("second");
  });

  test("several creates can name an upload until it expires a day after it was begun", async () => {
    const { begin, create, send, clock, stores } = await service(open());
    const upload = await begin("a.txt", "content");
    expect(upload.expiresAt - upload.createdAt).toBe(day);
    await send(upload, Buffer.from("content"));
    const runs = await Promise.all([create([upload.id]), create([upload.id, upload.id])]);
    clock.now += day - 1;
    runs.push(await create([upload.id]));
    for (const id of runs) {
      const { content } = await readRunFile(stores, id, "a.txt");
      expect(Buffer.from(content).toString()).toBe("content");
    }
    clock.now += 1;
    await expect(create([upload.id])).rejects.toMatchObject({ code: "upload_not_found" });
  });

  test("an unknown upload and that of another agent are rejected alike, and nothing is stored", async () => {
    const { begin, create, send, workspaces, other } = await service(open());
    const upload = await begin("secret-name.txt", "content");
    await send(upload, Buffer.from("content"));
    const unknown = randomUUID();
    const rejections = await Promise.all(
      [other.create([upload.id]), create([unknown])].map((each) => each.catch((error: Error) => error)),
    );
    const texts = [upload.id, unknown].map((id) => `Upload "${id}" does not exist or has expired; create a new one`);
    expect(rejections).toMatchObject(texts.map((message) => ({ code: "upload_not_found", message })));
    for (const id of ["", "x".repeat(3_000), `${unknown}0`]) {
      await expect(create([id])).rejects.toMatchObject({ code: "upload_not_found" });
    }
    expect(await workspaces()).toEqual([]);
  });

  test("a create that names an upload that has not arrived is rejected, and works when it has", async () => {
    const { begin, create, send, workspaces } = await service(open());
    const [sent, missing] = [await begin("a.txt", "a"), await begin("b.txt", "b")];
    await send(sent, Buffer.from("a"));
    const files = [{ name: "c.txt", content: () => Buffer.from("c") }];
    await expect(create([sent.id, missing.id], { files })).rejects.toMatchObject({
      code: "upload_incomplete",
      message: `The content of upload ${missing.id} ("b.txt") has not arrived; send it with PUT first`,
    });
    expect(await workspaces()).toEqual([]);
    await send(missing, Buffer.from("b"));
    await create([sent.id, missing.id], { files });
  });

  test("a file over the limit is rejected before it is sent", async () => {
    const { begin } = await service(open());
    await begin("a", "x".repeat(maxBytes));
    await expect(begin("a", "x".repeat(maxBytes + 1))).rejects.toMatchObject({
      code: "upload_too_large",
      message: "The file has 1001 bytes; this service accepts at most 1000. Split or compress it.",
    });
  });
});

describe("a content that is received by this service", () => {
  const content = Buffer.from("the content");
  const sha256 = sha256Of(content);
  const wrongHash = `The content has the SHA-256 ${sha256Of(Buffer.from("the CONTENT"))}; the upload was created for ${sha256}`;
  test.each([
    ["another hash", ["the ", "CONTENT"], undefined, wrongHash],
    ["too few bytes", ["the"], undefined, "The content has 3 bytes; the upload was created for 11"],
    [
      "too many bytes",
      ["the content", "!"],
      undefined,
      "The content has more than 11 bytes; the upload was created for 11",
    ],
    ["a wrong length", ["the content"], 12, "The content has 12 bytes; the upload was created for 11"],
  ])("with %s is rejected and can be sent again", async (_, chunks, length, message) => {
    const { begin, create, receive } = await service(openLocal());
    const upload = await begin("a.txt", String(content));
    await expect(receive(upload.id, chunks, length)).rejects.toMatchObject({ code: "upload_mismatch", message });
    await expect(create([upload.id])).rejects.toMatchObject({ code: "upload_incomplete" });
    await receive(upload.id, [String(content)], 11);
    await receive(upload.id.toUpperCase(), ["the ", "", "content"]);
    await create([upload.id]);
  });

  test("is not received for another agent, nor after the upload has expired", async () => {
    const { begin, receive, other, clock } = await service(openLocal());
    const upload = await begin("a.txt", String(content));
    const rejected = { code: "upload_not_found" };
    await expect(other.receive(upload.id, [String(content)])).rejects.toMatchObject(rejected);
    clock.now += day;
    await expect(receive(upload.id, [String(content)])).rejects.toMatchObject(rejected);
  });
});

function openLocal(): Opened & { stores: ReturnType<typeof temporaryStores> } {
  const stores = temporaryStores();
  return {
    stores,
    send: (upload, content) => stores.pendingUploads.receive(upload, ReadableStream.from([content])),
    workspaces: async () => {
      const { readdir } = await import("node:fs/promises");
      return readdir(`${stores.dataDir}/workspaces`);
    },
  };
}

/** Two agents of one organization. `other`: calls of the second one. */
async function service<Open extends Opened>({ stores, send, workspaces }: Open) {
  const model = { provider: "demo", enabled: true } as const;
  const { id: organizationId } = await createOrganization(stores.accounts, { name: "O", model });
  const limits = { steps: 1, tokens: 1, seconds: 1 };
  const definition = { name: "A", instructions: "Answer.", tools: [], limits };
  const clock = { now: Date.now() };
  const workflow = { start: async () => {}, stop: async () => {} };
  const deps = { ...stores, workflow, now: () => clock.now, secretRefusal: () => undefined, maxBytes };

  async function callsOf() {
    const { id: agentId } = await createAgent(stores.accounts, organizationId, definition);
    return {
      begin: (name: string, content: string) => {
        const bytes = Buffer.from(content);
        return beginUpload(
          deps,
          { agentId, organizationId },
          { name, size: bytes.length, sha256: sha256Of(bytes).toUpperCase() },
        );
      },
      receive: (id: string, chunks: string[], length?: number) => {
        const { receive } = (stores as ReturnType<typeof temporaryStores>).pendingUploads;
        const incoming = { length, chunks: ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk))) };
        return receiveUpload({ ...deps, receive }, [agentId], id, incoming);
      },
      create: async (uploads: string[], more: { files?: { name: string; content: () => Uint8Array }[] } = {}) => {
        const input = { name: "R", text: "Go.", uploads, ...more };
        return (await createRun(deps, { agentId, organizationId }, input)).id;
      },
    };
  }
  return { ...(await callsOf()), other: await callsOf(), stores, send, workspaces, clock };
}
