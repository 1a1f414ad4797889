import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { describe, expect, test, vi } from "vitest";
import { sha256Of } from "../../src/agent/turn/manifest.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import { mockedPlatform } from "./aws-mocks.ts";
import { describeManifests } from "./runs-files.contract.ts";
import { describeWorkspace } from "./workspace.contract.ts";

describe("AWS platform in memory", () => {
  describeManifests(async () => fakeAwsStores().runs);
  describeWorkspace(async () => {
    const { workspace, objectKeys, putObject } = fakeAwsStores();
    return {
      workspace,
      async putNamed(runId, name, content) {
        putObject(`workspaces/${runId}/${encodeURIComponent(name)}`, content);
      },
      storedIn: async (runId) => objectKeys().filter((key) => key.startsWith(`workspaces/${runId}/`)).length,
    };
  });
});

const contentOf = (text: string) => ({ sha256: sha256Of(Buffer.from(text)), content: Buffer.from(text) });

test("contents are objects with the prefix of the run; files of version 0.1 have encoded names", async () => {
  const { workspace, objects } = mockedPlatform();
  const { sha256, content } = contentOf("x");
  await workspace.write("R", [{ sha256, content }]);
  expect(objects.commandCalls(PutObjectCommand)[0]?.args[0].input).toEqual({
    Bucket: "B",
    Key: `workspaces/R/.sha256-${sha256}`,
    Body: content,
  });
  objects.on(GetObjectCommand).rejects(new NoSuchKey({ $metadata: { httpStatusCode: 404 }, message: "no" }));
  expect(await workspace.read("R", sha256)).toBeUndefined();
  expect(await workspace.readNamed("R", "ä +%.txt")).toBeUndefined();
  expect(objects.commandCalls(GetObjectCommand).map((call) => call.args[0].input)).toEqual([
    { Bucket: "B", Key: `workspaces/R/.sha256-${sha256}` },
    { Bucket: "B", Key: "workspaces/R/%C3%A4%20%2B%25.txt" },
  ]);
});

test("contents are uploaded in parallel", async () => {
  const { workspace, objects } = mockedPlatform();
  let open = 0;
  objects.on(PutObjectCommand).callsFake(async () => {
    open++;
    await vi.waitFor(() => expect(open).toBe(10));
  });
  await workspace.write(
    "R",
    Array.from({ length: 10 }, (_, n) => contentOf(`${n}`)),
  );
});

test("the list of files has all pages and is sorted by name, not by key", async () => {
  const { workspace, objects } = mockedPlatform();
  objects
    .on(ListObjectsV2Command)
    .resolvesOnce({
      Contents: [{ Key: "workspaces/R/%C3%A4", Size: 1 }],
      IsTruncated: true,
      NextContinuationToken: "t",
    })
    .resolvesOnce({
      Contents: [
        { Key: `workspaces/R/.sha256-${contentOf("").sha256}`, Size: 3 },
        { Key: "workspaces/R/b", Size: 2 },
      ],
    });
  expect(await workspace.listNamed("R")).toEqual([
    { name: "b", size: 2 },
    { name: "ä", size: 1 },
  ]);
  const calls = objects.commandCalls(ListObjectsV2Command).map((call) => call.args[0].input);
  expect(calls).toMatchObject([
    { Bucket: "B", Prefix: "workspaces/R/" },
    { Bucket: "B", Prefix: "workspaces/R/", ContinuationToken: "t" },
  ]);
});

test("removeAll deletes 1,000 keys per request and rejects when one was not deleted", async () => {
  const { workspace, objects } = mockedPlatform();
  const Contents = Array.from({ length: 1_001 }, (_, n) => ({ Key: `workspaces/R/${n}`, Size: 1 }));
  objects.on(ListObjectsV2Command).resolves({ Contents }).on(DeleteObjectsCommand).resolves({});
  await workspace.removeAll("R");
  const sizes = objects.commandCalls(DeleteObjectsCommand).map((call) => call.args[0].input.Delete?.Objects?.length);
  expect(sizes).toEqual([1_000, 1]);

  const Errors = [{ Key: "workspaces/R/7", Code: "AccessDenied", Message: "Access Denied" }];
  objects.on(DeleteObjectsCommand).resolves({ Errors });
  await expect(workspace.removeAll("R")).rejects.toThrow("workspaces/R/7: Access Denied");
});
