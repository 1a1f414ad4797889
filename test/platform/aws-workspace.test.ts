import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test, vi } from "vitest";
import { sha256Of } from "../../src/agent/turn/files/manifest.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import { StoreUnavailable } from "../../src/errors.ts";
import { uploadKey } from "../../src/platform/aws/pending-uploads.ts";
import { inputs, mockedPlatform } from "./aws-mocks.ts";
import { describeLargeWorkspaces } from "./large-workspaces.contract.ts";
import { describeManifests } from "./runs-files.contract.ts";
import { describePendingUploads, newUpload } from "./pending-uploads.contract.ts";
import { describeWorkspace } from "./workspace.contract.ts";

describe("AWS platform in memory", () => {
  describeManifests(async () => fakeAwsStores().runs);
  const sameStores = fakeAwsStores();
  describeLargeWorkspaces(async () => sameStores);
  describePendingUploads(async () => {
    const { putObject, ...stores } = fakeAwsStores();
    return { ...stores, send: async (upload, content) => putObject(uploadKey(upload), content) };
  });
  describeWorkspace(async () => {
    const { workspace, objectKeys } = fakeAwsStores();
    return {
      workspace,
      storedIn: async (runId) => objectKeys().filter((key) => key.startsWith(`workspaces/${runId}/`)).length,
    };
  });
});

const contentOf = (text: string) => ({ sha256: sha256Of(Buffer.from(text)), content: Buffer.from(text) });

test("contents are objects with the prefix of the run", async () => {
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
  expect(objects.commandCalls(GetObjectCommand).map((call) => call.args[0].input)).toEqual([
    { Bucket: "B", Key: `workspaces/R/.sha256-${sha256}` },
  ]);
});

test("an upload is copied within the bucket; a missing object is one that has not arrived", async () => {
  const { pendingUploads, objects } = mockedPlatform();
  const upload = newUpload(Buffer.from("x"), { id: "U", agentId: "A" });
  expect(await pendingUploads.copyTo("R", upload)).toBe(true);
  expect(objects.commandCalls(CopyObjectCommand)[0]?.args[0].input).toEqual({
    Bucket: "B",
    Key: `workspaces/R/.sha256-${upload.sha256}`,
    CopySource: "B/uploads/A/U",
  });
  const failure = { $fault: "client", $metadata: { httpStatusCode: 404 }, message: "no" } as const;
  objects.on(CopyObjectCommand).rejects(new S3ServiceException({ ...failure, name: "NoSuchKey" }));
  expect(await pendingUploads.copyTo("R", upload)).toBe(false);
  objects.on(CopyObjectCommand).rejects(new S3ServiceException({ ...failure, name: "AccessDenied" }));
  await expect(pendingUploads.copyTo("R", upload)).rejects.toThrow("no");
  objects.on(CopyObjectCommand).rejects(new S3ServiceException({ ...failure, name: "SlowDown" }));
  await expect(pendingUploads.copyTo("R", upload)).rejects.toThrow(StoreUnavailable);
});

test("an upload expires as an item does, in seconds", async () => {
  const { pendingUploads, dynamo } = mockedPlatform();
  for (const command of [GetCommand, PutCommand]) dynamo.on(command as typeof GetCommand).resolves({});
  await pendingUploads.add(newUpload(Buffer.from("x"), { id: "U", expiresAt: 1_763_000_000_001 }), {
    organizationId: "O",
  });
  expect(inputs(dynamo, PutCommand)[0]).toMatchObject({
    TableName: "T",
    Item: { pk: "UPLOAD#U", sk: "HEAD", expiresAt: 1_763_000_001, expiresAtMs: 1_763_000_000_001 },
  });
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
