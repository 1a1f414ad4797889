import { createHash } from "node:crypto";
import { HeadObjectCommand, NotFound, S3ServiceException } from "@aws-sdk/client-s3";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/errors.ts";
import { newS3Client } from "../../src/platform/aws/s3/bucket.ts";
import { signedTransfers } from "../../src/platform/aws/s3/signed-transfers.ts";
import { newUpload } from "./pending-uploads.contract.ts";

const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "s", sessionToken: "token" };
const s3 = newS3Client({ region: "eu-central-1", credentials });
const answers = mockClient(s3);
beforeEach(() => answers.reset());
const transfers = signedTransfers(async () => s3, "bucket-1");
const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");

test("a signed PUT accepts one content under one key: its length and SHA-256 are signed", async () => {
  const content = Buffer.from("the content");
  const upload = newUpload(content, { id: "U", agentId: "A" });
  const { url, headers } = await transfers.put(upload);
  const { origin, pathname, searchParams } = new URL(url);
  expect([origin, pathname]).toEqual(["https://bucket-1.s3.eu-central-1.amazonaws.com", "/uploads/A/U"]);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    "X-Amz-SignedHeaders": "content-length;host;x-amz-checksum-sha256",
    "X-Amz-Expires": "3600",
    "X-Amz-Credential": `AKIAEXAMPLE/${day}/eu-central-1/s3/aws4_request`,
    "X-Amz-Security-Token": "token",
  });
  expect([...searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([]);
  expect(headers).toEqual({
    "content-length": "11",
    "x-amz-checksum-sha256": createHash("sha256").update(content).digest("base64"),
  });
});

test("an empty file can be sent, too", async () => {
  const { url, headers } = await transfers.put(newUpload(Buffer.alloc(0)));
  expect(url).toContain("X-Amz-SignedHeaders=content-length%3Bhost%3Bx-amz-checksum-sha256");
  expect(headers["content-length"]).toBe("0");
});

test("a signed GET reads one file for a minute, as a download that browsers do not open", async () => {
  const disposition = "attachment; filename*=UTF-8''a%22b.html";
  const { url, headers } = (await transfers.get("R", "a".repeat(64), disposition)) ?? {};
  const { pathname, searchParams } = new URL(url ?? "");
  expect(pathname).toBe(`/workspaces/R/.sha256-${"a".repeat(64)}`);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    "X-Amz-Expires": "60",
    "response-content-disposition": disposition,
    "response-content-type": "application/octet-stream",
    "response-cache-control": "no-store",
  });
  expect(headers).toEqual({});
});

test("a content that is no longer kept has no URL; an outage is not taken for one", async () => {
  const sha256 = "a".repeat(64);
  const failure = { message: "no", $metadata: { httpStatusCode: 404 } };
  answers.on(HeadObjectCommand).rejects(new NotFound(failure));
  expect(await transfers.get("R", sha256, "attachment")).toBeUndefined();
  answers.on(HeadObjectCommand).rejects(new S3ServiceException({ ...failure, name: "SlowDown", $fault: "server" }));
  await expect(transfers.get("R", sha256, "attachment")).rejects.toThrow(StoreUnavailable);
});
