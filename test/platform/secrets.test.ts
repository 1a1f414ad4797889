import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, test } from "vitest";
import { awsSecretExists, awsSecretOf, awsSecretProblem } from "../../src/platform/aws/secrets.ts";
import { localSecrets } from "../../src/platform/local/secrets.ts";

const key = "sk-0123456789abcdef";

describe("local secrets", () => {
  let dataDir = "";
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "agent-runs-secrets-"));
    return () => rmSync(dataDir, { recursive: true });
  });

  function file(name: string, content: string, mode: number): string {
    const path = join(dataDir, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  }

  test("are read from the environment and from files of their owner", async () => {
    const absolute = file("key", `${key}\n`, 0o600);
    const { secretExists, secretOf, secretProblem } = localSecrets({ KEY: key }, dataDir);
    for (const secret of ["env:KEY", "file:key", `file:${absolute}`]) {
      expect(secretExists(secret)).toBe(true);
      expect(await secretOf(secret)).toBe(key);
      expect(await secretProblem(secret)).toBeUndefined();
    }
  });

  test.each([
    ["env:NONE", undefined],
    ["env:EMPTY", undefined],
    ["file:missing", /missing is not a file/],
    ["file:.", /is not a file/],
    ["file:empty", /empty is empty/],
    ["file:blank", undefined],
    ["file:group", /is accessible to other users \(mode 640; run chmod 600\)/],
    ["file:loop", /loop cannot be read by the user that the service runs as \(ELOOP\)/],
    ["file:all", /is accessible to other users \(mode 604/],
    ["secretsmanager:agent-run-service/key", /env:NAME or file:PATH/],
    [key, /env:NAME or file:PATH/],
  ] as const)("%s does not exist or is not readable", async (secret, problem) => {
    file("empty", "", 0o600);
    file("blank", " \n", 0o600);
    file("group", key, 0o640);
    file("all", key, 0o604);
    rmSync(join(dataDir, "loop"), { force: true });
    symlinkSync("loop", join(dataDir, "loop"));
    const { secretExists, secretOf, secretProblem } = localSecrets({ EMPTY: "" }, dataDir);
    expect(secretExists(secret)).toBe(false);
    expect(await secretOf(secret)).toBeUndefined();
    if (problem) expect(await secretProblem(secret)).toMatch(problem);
  });
});

describe("secrets of AWS Secrets Manager", () => {
  const name = "agent-run-service/openai";
  const secret = `secretsmanager:${name}`;
  const client = new SecretsManagerClient({ region: "eu-central-1" });
  const manager = mockClient(client);
  beforeEach(() => {
    manager.reset();
  });

  test("exist only with the name prefix that the functions may read", () => {
    expect(awsSecretExists(secret)).toBe(true);
    for (const other of ["env:KEY", "file:key", "secretsmanager:", "secretsmanager:other/openai", key]) {
      expect(awsSecretExists(other)).toBe(false);
    }
    expect(awsSecretExists("secretsmanager:agent-run-service/")).toBe(false);
    expect(awsSecretExists(`${secret}\n`)).toBe(false);
  });

  test("are cached for five minutes, and not read when the name is invalid", async () => {
    let now = 0;
    manager.on(GetSecretValueCommand, { SecretId: name }).resolves({ SecretString: `${key}\n` });
    const secretOf = awsSecretOf(
      async () => client,
      () => now,
    );
    expect([await secretOf(secret), await secretOf(secret)]).toEqual([key, key]);
    now = 299_999;
    await secretOf(secret);
    expect(await secretOf("env:KEY")).toBeUndefined();
    expect(manager.calls()).toHaveLength(1);
    now = 300_000;
    manager.on(GetSecretValueCommand).resolves({ SecretString: "sk-new" });
    expect(await secretOf(secret)).toBe("sk-new");
  });

  test.each(["ResourceNotFoundException", "AccessDeniedException", "InvalidRequestException", "DecryptionFailure"])(
    "are undefined after %s and looked up again the next time",
    async (error) => {
      manager
        .on(GetSecretValueCommand)
        .rejectsOnce(Object.assign(new Error("no"), { name: error }))
        .resolves({ SecretString: key });
      const secretOf = awsSecretOf(async () => client);
      expect(await secretOf(secret)).toBeUndefined();
      expect(await secretOf(secret)).toBe(key);
    },
  );

  test("reject when the look-up fails; binary secrets are undefined", async () => {
    const secretOf = awsSecretOf(async () => client);
    manager.on(GetSecretValueCommand).rejects(Object.assign(new Error("slow"), { name: "ThrottlingException" }));
    await expect(secretOf(secret)).rejects.toThrow("slow");
    manager.on(GetSecretValueCommand).resolves({ SecretBinary: new Uint8Array([1]) });
    expect(await secretOf(secret)).toBeUndefined();
  });

  test("are checked for existence when they are configured", async () => {
    const problemOf = awsSecretProblem(async () => client);
    manager.on(DescribeSecretCommand, { SecretId: name }).resolves({ Name: name });
    expect(await problemOf(secret)).toBeUndefined();
    expect(manager.commandCalls(GetSecretValueCommand)).toHaveLength(0);
    expect(await problemOf("env:KEY")).toContain("secretsmanager:agent-run-service/NAME");
    manager.on(DescribeSecretCommand).resolves({ Name: name, DeletedDate: new Date() });
    expect(await problemOf(secret)).toContain("is being deleted");
    manager.on(DescribeSecretCommand).rejects(new ResourceNotFoundException({ message: "no", $metadata: {} }));
    expect(await problemOf(secret)).toContain(`create-secret --name ${name}`);
    manager.on(DescribeSecretCommand).rejects(new Error("not allowed"));
    await expect(problemOf(secret)).rejects.toThrow("not allowed");
  });
});
