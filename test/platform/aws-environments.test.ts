import { afterEach, expect, test } from "vitest";
import { keptFacts, stackEnvironments } from "../../src/platform/aws/functions/environment-facts.ts";
import { newS3Client } from "../../src/platform/aws/s3/bucket.ts";
import { stagedObjects } from "../../src/platform/aws/s3/staged-objects.ts";
import { wireEnvironment } from "../../src/manage/wire/environment.ts";
import type { EnvironmentFacts } from "../../src/sandbox/linux/linux-types.ts";
import { objectServer } from "../support/object-server.ts";

const facts: EnvironmentFacts = {
  name: "linux",
  digest: `sha256:${"a".repeat(64)}`,
  system: "Debian 13",
  programs: { jq: "1.7" },
  python: { version: "3.13.5", libraries: { pandas: "2.3.1" } },
};
const s3 = await objectServer("data");
const settings = {
  region: "us-east-1",
  endpoint: s3.url,
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" },
};
afterEach(() => s3.objects.clear());

const images = JSON.stringify({ reports: "sha256-1", linux: "abc" });
const open = () => stackEnvironments(settings, "data", images);

test("the environments of a stack are listed, the default first, with what they have after their first program", async () => {
  const list = open();
  const undescribed = { unavailable: null, engine: "lambda", digest: null, system: null, programs: null, python: null };
  expect((await list()).map(wireEnvironment)).toEqual([
    { name: "linux", ...undescribed },
    { name: "reports", ...undescribed },
  ]);
  const client = newS3Client(settings);
  await keptFacts(stagedObjects(async () => client, "data")).write("sha256-1", { ...facts, name: "built-as" });
  client.destroy();
  const { digest, system, programs, python } = facts;
  const described = { name: "reports", unavailable: null, engine: "lambda", digest, system, programs, python };
  expect((await list()).map(wireEnvironment)).toEqual([{ name: "linux", ...undescribed }, described]);
  s3.requests.length = 0;
  await list();
  expect(s3.requests).toEqual(["GET environments/abc.json"]); // what is known is not read again
});

test("environments are listed although what they have cannot be read", async () => {
  s3.objects.set("environments/abc.json", Buffer.from("{}"));
  expect(await open()()).toEqual([
    { name: "linux", engine: "lambda" },
    { name: "reports", engine: "lambda" },
  ]);
});
