import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { expect, test, vi } from "vitest";
import { mockedPlatform } from "./aws-mocks.ts";

test("files are objects with the prefix of the run and encoded names", async () => {
  const { workspace, objects } = mockedPlatform();
  await workspace.write("R", [{ name: "ä +%.txt", content: Buffer.from("x") }]);
  expect(objects.commandCalls(PutObjectCommand)[0]?.args[0].input).toEqual({
    Bucket: "B",
    Key: "workspaces/R/%C3%A4%20%2B%25.txt",
    Body: Buffer.from("x"),
  });
  objects.on(GetObjectCommand).rejects(new NoSuchKey({ $metadata: { httpStatusCode: 404 }, message: "no" }));
  expect(await workspace.read("R", "a.txt")).toBeUndefined();
  expect(objects.commandCalls(GetObjectCommand)[0]?.args[0].input).toEqual({
    Bucket: "B",
    Key: "workspaces/R/a.txt",
  });
});

test("files are uploaded in parallel", async () => {
  const { workspace, objects } = mockedPlatform();
  let open = 0;
  objects.on(PutObjectCommand).callsFake(async () => {
    open++;
    await vi.waitFor(() => expect(open).toBe(10));
  });
  const names = Array.from({ length: 10 }, (_, n) => `${n}`);
  await workspace.write(
    "R",
    names.map((name) => ({ name, content: new Uint8Array() })),
  );
});

test("the list has all pages and is sorted by name, not by key", async () => {
  const { workspace, objects } = mockedPlatform();
  objects
    .on(ListObjectsV2Command)
    .resolvesOnce({
      Contents: [{ Key: "workspaces/R/%C3%A4", Size: 1 }],
      IsTruncated: true,
      NextContinuationToken: "t",
    })
    .resolvesOnce({ Contents: [{ Key: "workspaces/R/b", Size: 2 }] });
  expect(await workspace.list("R")).toEqual([
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
