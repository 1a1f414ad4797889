import { GetObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { describe, expect, test } from "vitest";
import { newS3Client } from "../../src/platform/aws/s3/bucket.ts";
import { objectSigner } from "../../src/platform/aws/s3/signed-objects.ts";

const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

describe("signed reads", () => {
  test("equal AWS's published example", () => {
    // https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
    const bucket = { name: "examplebucket", url: "https://examplebucket.s3.amazonaws.com" };
    const signer = objectSigner({ region: "us-east-1", credentials }, bucket, () => Date.parse("2013-05-24T00:00:00Z"));
    const gets = signer.gets(86_400);
    expect(gets.signature("test.txt")).toBe("aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
    expect(`${gets.url}test.txt?${gets.query}`).toBe(
      "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256" +
        "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z" +
        "&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=",
    );
  });

  test("with a session equal the SDK's, whose URLs have more parameters", async () => {
    const withSession = { ...credentials, sessionToken: "a+token/with=signs" };
    const client = newS3Client({ region: "eu-central-1", credentials: withSession });
    const key = "workspaces/run-1/.sha256-0123 (ä)";
    const now = new Date();
    const command = new GetObjectCommand({ Bucket: "data", Key: key });
    const theirs = new URL(await getSignedUrl(client, command, { signingDate: now, expiresIn: 300 }));
    const bucket = { name: "data", url: `https://${theirs.host}` };
    const signer = objectSigner({ region: "eu-central-1", credentials: withSession }, bucket, () => now.getTime());
    const { query } = signer.gets(300);
    const common = ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-Security-Token"];
    const ours = new URLSearchParams(query);
    for (const name of common) expect(ours.get(name)).toBe(theirs.searchParams.get(name));
    client.destroy();
  });
});

describe("a signed form", () => {
  test("allows objects below the prefix up to a size, for a time", () => {
    const bucket = { name: "data", url: "http://127.0.0.1:4566/data" };
    const signer = objectSigner({ region: "us-east-1", credentials }, bucket, () => Date.parse("2026-11-22T12:00:00Z"));
    const { url, fields, prefix } = signer.form("staging/run/call/", { seconds: 60, maxBytes: 1_000 });
    expect([url, prefix]).toEqual(["http://127.0.0.1:4566/data/", "staging/run/call/"]);
    expect(JSON.parse(Buffer.from(fields["policy"] ?? "", "base64").toString())).toEqual({
      expiration: "2026-11-22T12:01:00.000Z",
      conditions: [
        { bucket: "data" },
        ["starts-with", "$key", "staging/run/call/"],
        ["content-length-range", 0, 1_000],
        { "x-amz-algorithm": "AWS4-HMAC-SHA256" },
        { "x-amz-credential": "AKIAIOSFODNN7EXAMPLE/20261122/us-east-1/s3/aws4_request" },
        { "x-amz-date": "20261122T120000Z" },
      ],
    });
    expect(fields["x-amz-signature"]).toMatch(/^[0-9a-f]{64}$/);
  });
});
