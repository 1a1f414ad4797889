import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, test } from "vitest";
import { SecretRefused } from "../../src/agent/secret.ts";
import { awsSecretRefusal } from "../../src/platform/aws/sdk/secret-names.ts";
import { deniedSecret } from "../../bin/admin/stack.ts";
import { testModel } from "../../src/agent/models/test-model.ts";
import { awsSecretOf, awsSecretProblem, awsSecrets } from "../../src/platform/aws/secrets.ts";
import {
  parseAllowedSecret,
  readAllowedSecrets,
  saveAllowedSecrets,
  secretAllowList,
} from "../../src/platform/local/process/allowed-secrets.ts";
import { localSecrets } from "../../src/platform/local/secrets.ts";
import { storedSecrets } from "../../src/platform/local/process/stored-secrets.ts";

const key = "sk-0123456789abcdef";
const use = { organizationId: "org-1", purpose: "model", url: "https://api.openai.com/v1" } as const;
const elsewhere = { ...use, url: "https://evil.example/v1" };

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

  const secretsAllowing = (allowed: string[], environment: Record<string, string> = {}) =>
    localSecrets(
      environment,
      dataDir,
      secretAllowList(allowed.map(parseAllowedSecret), dataDir),
      storedSecrets(dataDir),
    );

  test("are read from the environment and from files of their owner", async () => {
    const absolute = file("key", `${key}\n`, 0o600);
    const { secretRefusal, secretOf, secretProblem } = secretsAllowing(["KEY", "file:./key"], { KEY: key });
    for (const secret of ["env:KEY", "file:key", `file:${absolute}`, "file:x/../key"]) {
      expect(secretRefusal(secret, use)).toBeUndefined();
      expect(await secretOf(secret, use)).toBe(key);
      expect(await secretProblem(secret, use)).toBeUndefined();
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
  ] as const)("%s does not exist or is not readable", async (secret, problem) => {
    file("empty", "", 0o600);
    file("blank", " \n", 0o600);
    file("group", key, 0o640);
    file("all", key, 0o604);
    rmSync(join(dataDir, "loop"), { force: true });
    symlinkSync("loop", join(dataDir, "loop"));
    const { secretRefusal, secretOf, secretProblem } = secretsAllowing([secret], { EMPTY: "" });
    expect(secretRefusal(secret, use)).toMatch(/^does not exist or may not be read/);
    expect(await secretOf(secret, use)).toBeUndefined();
    if (problem) expect(await secretProblem(secret, use)).toMatch(problem);
  });

  test.each(["secretsmanager:key", key])("%s is not a location of one machine", async (secret) => {
    const { secretRefusal, secretOf, secretProblem } = secretsAllowing([]);
    expect(secretRefusal(secret, use)).toBe("is not env:NAME or file:PATH");
    await expect(secretOf(secret, use)).rejects.toThrow(SecretRefused);
    expect(await secretProblem(secret, use)).toBe("on one machine, a secret is env:NAME or file:PATH.");
  });

  test.each([
    ["env:DATABASE_URL", "--allow-secret DATABASE_URL"],
    ["env:PATH", "--allow-secret PATH"],
    ["file:key", "--allow-secret file:key"],
    ["file:runs.sqlite", "--allow-secret file:runs.sqlite"],
  ])("%s is refused unless the service was started with %s", async (secret, option) => {
    file("key", key, 0o600);
    const environment = { DATABASE_URL: key, PATH: key };
    const { secretRefusal, secretOf, secretProblem } = secretsAllowing(["OTHER", "file:other"], environment);
    expect(secretRefusal(secret, use)).toMatch(/^is not one that this service may use/);
    await expect(secretOf(secret, use)).rejects.toThrow(SecretRefused);
    expect(await secretProblem(secret, use)).toBe(
      `the service was not started with ${option}; start it with this option first.`,
    );
  });

  test("the providers' usual variables are allowed for models only", async () => {
    const environment = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key };
    const { secretOf, secretProblem, secretRefusal } = secretsAllowing([], environment);
    const secret = "env:OPENAI_API_KEY";
    expect([await secretOf("env:ANTHROPIC_API_KEY", use), await secretOf(secret, elsewhere)]).toEqual([key, key]);
    const header = { ...use, purpose: "header" } as const;
    expect(secretRefusal(secret, header)).toMatch(/^is not one that this service may use/);
    await expect(secretOf(secret, header)).rejects.toThrow(SecretRefused);
    expect(await secretProblem(secret, header)).toContain("not started with --allow-secret OPENAI_API_KEY; start");
    expect(await secretsAllowing(["OPENAI_API_KEY"], environment).secretOf(secret, header)).toBe(key);
  });

  test("the names of accepted secrets are listed, existing ones first, without values", () => {
    const allowed = ["TOKEN=mcp.example", "TOKEN=localhost", "file:vllm", "OPENAI_API_KEY"];
    const { accepted, hint } = secretsAllowing(allowed, { XAI_API_KEY: key, TOKEN: key }).acceptedSecrets();
    expect(accepted?.slice(0, 5)).toEqual([
      "env:TOKEN",
      "file:vllm",
      "env:OPENAI_API_KEY",
      "env:XAI_API_KEY",
      "env:ANTHROPIC_API_KEY",
    ]);
    expect(new Set(accepted).size).toBe(accepted?.length);
    expect(hint).toContain("For headers of MCP servers, env:TOKEN, file:vllm, env:OPENAI_API_KEY are allowed.");
    expect(secretsAllowing([]).acceptedSecrets().hint).toContain("For headers of MCP servers, none is allowed.");
    expect(JSON.stringify([accepted, hint])).not.toContain(key);
  });

  test.each([
    ["OPENAI_API_KEY=api.openai.com"],
    ["env:OPENAI_API_KEY=API.OpenAI.com:443,localhost:8000"],
    ["OPENAI_API_KEY=localhost:8000,api.openai.com"],
  ])("%s limits a secret to hosts", async (allowed) => {
    const { secretRefusal, secretOf, secretProblem } = secretsAllowing([allowed], { OPENAI_API_KEY: key });
    const secret = "env:OPENAI_API_KEY";
    expect(await secretOf(secret, use)).toBe(key);
    for (const url of [
      elsewhere.url,
      "https://api.openai.com.evil.example",
      "https://api.openai.com@evil.example",
      "http://localhost:8001",
      "http://api.openai.com/v1",
    ]) {
      const other = { ...use, url };
      expect(secretRefusal(secret, other)).toMatch(/^may not be sent to this host/);
      await expect(secretOf(secret, other)).rejects.toThrow(SecretRefused);
      expect(await secretProblem(secret, other)).toContain(",");
    }
    expect(await secretProblem(secret, elsewhere)).toMatch(/--allow-secret OPENAI_API_KEY=.*,evil\.example; start it/);
    if (allowed.includes("8000")) expect(await secretOf(secret, { ...use, url: "http://localhost:8000/v1" })).toBe(key);
  });

  test.each([
    ["plain.example:80", "http://plain.example/v1", true],
    ["plain.example", "http://plain.example/v1", false],
    ["plain.example", "https://plain.example:8443/v1", true],
    ["localhost", "http://localhost:11434/v1", true],
  ])("the entry %s for %s is sufficient: %s", async (host, url, sufficient) => {
    const allowList = secretAllowList([parseAllowedSecret(`A=${host}`)], dataDir);
    expect(allowList.check("env:A", { purpose: "header", url }) === undefined).toBe(sufficient);
  });

  test("entries of one secret are combined, and saved for operators' commands", () => {
    const entries = ["A=one.example", "A=two.example", "file:key"].map(parseAllowedSecret);
    expect(readAllowedSecrets(dataDir)).toEqual([]);
    saveAllowedSecrets(dataDir, entries);
    const allowList = secretAllowList(readAllowedSecrets(dataDir), dataDir);
    const model = { purpose: "model" } as const;
    expect(allowList.check("env:A", { ...model, url: "https://two.example" })).toBeUndefined();
    expect(allowList.check("env:A", { ...model, url: "https://three.example" })?.option).toBe(
      "--allow-secret A=one.example,two.example,three.example",
    );
    saveAllowedSecrets(dataDir, []);
    expect(readAllowedSecrets(dataDir)).toEqual([]);
  });

  test.each([
    "",
    "=host",
    "A B",
    "A=",
    "A=https://host",
    "A=a,,b",
    "env:",
    "file:",
    "secretsmanager:x",
    "sk-pasted-key",
  ])("--allow-secret %j is rejected", (text) =>
    expect(() => parseAllowedSecret(text)).toThrow(/^--allow-secret is not valid; expected the NAME of an/),
  );
});

describe("stored secrets of one machine", () => {
  let dataDir = "";
  const own = { ...use, organizationId: "0f8fad5b-d9cb-469f-a165-70867728950e" };
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "agent-runs-secrets-"));
    return () => rmSync(dataDir, { recursive: true });
  });
  const secrets = () => localSecrets({}, dataDir, secretAllowList([], dataDir), storedSecrets(dataDir));

  test("are files of their owner, which only their organization may use, for their hosts", async () => {
    const { storeSecret, secretOf, secretProblem, secretRefusal } = secrets();
    const secret = await storeSecret(own.organizationId, "model-key", { value: key, hosts: ["api.openai.com"] });
    expect(secret).toBe(`file:secrets/${own.organizationId}/model-key`);
    const folder = join(dataDir, "secrets", own.organizationId);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, "model-key")).mode & 0o777]).toEqual([0o700, 0o600]);
    expect([secretRefusal(secret, own), await secretProblem(secret, own)]).toEqual([undefined, undefined]);
    expect(await secretOf(secret, own)).toBe(key);
    expect(await secrets().secretOf(secret, { ...own, purpose: "header" })).toBe(key);

    const { url } = elsewhere;
    expect(secretRefusal(secret, { ...own, url })).toMatch(/^may not be sent to this host/);
    await expect(secretOf(secret, { ...own, url })).rejects.toThrow(SecretRefused);
    expect(secretRefusal(secret, use)).toBe("is not one of the organization's secrets");
    await expect(secretOf(secret, use)).rejects.toThrow(SecretRefused);
    expect(await secretProblem(secret, use)).toContain(
      "is not one of the organization's secrets; enter the key again.",
    );

    await storeSecret(own.organizationId, "model-key", { value: "another", hosts: ["api.openai.com"] });
    expect(await secretOf(secret, own)).toBe("another");
    storedSecrets(dataDir).remove(own.organizationId);
    expect(secretRefusal(secret, own)).toMatch(/^does not exist/);
  });

  test.each(["../model-key", "model-key/../../other/model-key", "model-key.new", ""])(
    "are not found by another name (%s)",
    async (name) => {
      const { storeSecret, secretRefusal } = secrets();
      await storeSecret(own.organizationId, "model-key", { value: key });
      const refusal = secretRefusal(`file:secrets/${own.organizationId}/${name}`, own);
      expect(refusal).toMatch(/^is not one that this service may use/);
    },
  );
});

describe("secrets of AWS Secrets Manager", () => {
  const prefix = "agent-run-service/prod/";
  const name = `${prefix}org-1/openai`;
  const secret = "secretsmanager:openai";
  const client = new SecretsManagerClient({ region: "eu-central-1" });
  const open = async () => client;
  const manager = mockClient(client);
  beforeEach(() => {
    manager.reset();
  });

  test.each([secret, `secretsmanager:${name}`])("%s is the organization's own", async (reference) => {
    manager.on(GetSecretValueCommand, { SecretId: name }).resolves({ SecretString: key });
    expect(awsSecretRefusal(prefix)(reference, use)).toBeUndefined();
    expect(await awsSecretOf(open, prefix)(reference, use)).toBe(key);
  });

  test.each([
    ["another organization's", `secretsmanager:${prefix}org-2/openai`],
    ["another stage's", "secretsmanager:agent-run-service/test/org-1/openai"],
    ["another service's", "secretsmanager:payments/database"],
    ["a path below the organization's", `secretsmanager:${name}/old`],
    ["the prefix", `secretsmanager:${prefix}org-1/`],
    ["nothing", "secretsmanager:"],
    ["an ARN", "secretsmanager:arn:aws:secretsmanager:eu-central-1:111122223333:secret:x"],
    ["more than one line", `${secret}\n`],
    ["a variable", "env:KEY"],
    ["a file", "file:key"],
    ["a pasted key", key],
  ])("a name of %s is refused without a request", async (_, reference) => {
    expect(awsSecretRefusal(prefix)(reference, use)).toMatch(/^is not one of (the organization's secrets|AWS Secrets)/);
    await expect(awsSecretOf(open, prefix)(reference, use)).rejects.toThrow(SecretRefused);
    const problem = await awsSecretProblem(open, prefix)(reference, use);
    expect(problem).toBe(
      `on AWS, a secret is secretsmanager:NAME, which has the name ${prefix}org-1/NAME in Secrets Manager.`,
    );
    expect(manager.calls()).toHaveLength(0);
  });

  test("a name of an earlier version is refused with what to do", async () => {
    const reference = "secretsmanager:agent-run-service/openai";
    const refusal = 'is not one of the organization\'s secrets; move it (docs/operations.md, "Move a secret")';
    expect(awsSecretRefusal(prefix)(reference, use)).toBe(refusal);
    await expect(awsSecretOf(open, prefix)(reference, use)).rejects.toThrow(refusal);
    expect(await awsSecretProblem(open, prefix)(reference, use)).toContain(
      `create-secret --name ${name}), and name it ${secret}.`,
    );
    expect(manager.calls()).toHaveLength(0);
  });

  test("a key is stored as a secret with its hosts, or as a new version of one", async () => {
    const { storeSecret } = awsSecrets(open, prefix);
    const stored = { value: key, hosts: ["api.openai.com"] };
    manager.on(CreateSecretCommand).resolvesOnce({});
    expect(await storeSecret(use.organizationId, "model-key", stored)).toBe("secretsmanager:model-key");
    const [created] = manager.commandCalls(CreateSecretCommand);
    const { Name = "", SecretString = "" } = created?.args[0].input ?? {};
    expect(Name).toBe(`${prefix}${use.organizationId}/model-key`);
    manager.on(GetSecretValueCommand).resolves({ SecretString });
    expect(await awsSecretOf(open, prefix)("secretsmanager:model-key", use)).toBe(key);
    await expect(awsSecretOf(open, prefix)("secretsmanager:model-key", elsewhere)).rejects.toThrow(SecretRefused);

    manager.on(CreateSecretCommand).rejects(Object.assign(new Error("there"), { name: "ResourceExistsException" }));
    manager.on(PutSecretValueCommand).resolves({});
    expect(await storeSecret(use.organizationId, "model-key", stored)).toBe("secretsmanager:model-key");
    expect(manager.commandCalls(PutSecretValueCommand)[0]?.args[0].input).toEqual({ SecretId: Name, SecretString });

    manager.on(CreateSecretCommand).rejects(Object.assign(new Error("going"), { name: "InvalidRequestException" }));
    await expect(storeSecret(use.organizationId, "model-key", stored)).rejects.toThrow("is being deleted; restore it");
  });

  test("a secret that operators may not read is refused with the missing permission and what to do", async () => {
    manager
      .on(GetSecretValueCommand)
      .rejects(Object.assign(new Error("not authorized"), { name: "AccessDeniedException" }));
    expect(await awsSecretOf(open, prefix)(secret, use)).toBeUndefined();
    const { secretOf } = awsSecrets(open, prefix, deniedSecret);
    const { outcome } = await testModel(
      { provider: "openai-compatible", enabled: true, model: "m", baseUrl: "http://127.0.0.1:9/v1", secret },
      (reference, url) => secretOf(reference, { ...use, url }),
      Date.now,
    );
    expect(outcome).toMatchObject({
      failure: {
        category: "model_configuration",
        title: expect.stringMatching(/lack secretsmanager:GetSecretValue for it\.$/),
        remedy: expect.stringMatching(/^Start a run to test the model/),
      },
    });
  });

  test("a secret with hosts is sent to these hosts only", async () => {
    const text = JSON.stringify({ value: key, hosts: ["api.openai.com", "localhost:8000"] });
    manager.on(GetSecretValueCommand, { SecretId: name }).resolves({ SecretString: `${text}\n` });
    const secretOf = awsSecretOf(open, prefix);
    expect(await secretOf(secret, use)).toBe(key);
    expect(await secretOf(secret, { ...use, url: "http://localhost:8000/v1" })).toBe(key);
    for (const url of [
      elsewhere.url,
      "http://localhost:8001/v1",
      "https://api.openai.com.evil.example/v1",
      "https://API.openai.com@evil.example",
    ]) {
      await expect(secretOf(secret, { ...use, url })).rejects.toThrow(/^may not be sent to this host/);
    }
    expect(manager.calls()).toHaveLength(1);
  });

  test.each([
    { OPENAI_API_KEY: key },
    { value: key, hosts: "api.openai.com" },
    { value: key, hosts: [1] },
    { value: key, host: ["api.openai.com"] },
    { value: "" },
    { hosts: ["api.openai.com"] },
  ])("%j is not a secret, and its value is not in the error", async (json) => {
    manager.on(GetSecretValueCommand).resolves({ SecretString: JSON.stringify(json) });
    const error: unknown = await awsSecretOf(open, prefix)(secret, use).catch((caught: unknown) => caught);
    expect(String(error)).toMatch(/^SecretRefused: contains JSON other than \{"value"/);
    expect(String(error)).not.toContain(key);
  });

  test("without hosts, and text that only begins like JSON, may be sent anywhere", async () => {
    const secretOf = awsSecretOf(open, prefix);
    manager.on(GetSecretValueCommand).resolves({ SecretString: JSON.stringify({ value: key }) });
    expect(await secretOf(secret, elsewhere)).toBe(key);
    manager.on(GetSecretValueCommand).resolves({ SecretString: "{not json" });
    expect(await secretOf("secretsmanager:other", elsewhere)).toBe("{not json");
  });

  test("are cached for a minute", async () => {
    let now = 0;
    manager.on(GetSecretValueCommand, { SecretId: name }).resolves({ SecretString: `${key}\n` });
    const secretOf = awsSecretOf(open, prefix, { now: () => now });
    expect([await secretOf(secret, use), await secretOf(secret, use)]).toEqual([key, key]);
    now = 59_999;
    await secretOf(secret, use);
    expect(manager.calls()).toHaveLength(1);
    now = 60_000;
    manager.on(GetSecretValueCommand).resolves({ SecretString: "sk-new" });
    expect(await secretOf(secret, use)).toBe("sk-new");
  });

  test.each(["ResourceNotFoundException", "AccessDeniedException", "InvalidRequestException", "DecryptionFailure"])(
    "are undefined after %s and looked up again the next time",
    async (error) => {
      manager
        .on(GetSecretValueCommand)
        .rejectsOnce(Object.assign(new Error("no"), { name: error }))
        .resolves({ SecretString: key });
      const secretOf = awsSecretOf(open, prefix);
      expect(await secretOf(secret, use)).toBeUndefined();
      expect(await secretOf(secret, use)).toBe(key);
    },
  );

  test("reject when the look-up fails; binary secrets are undefined", async () => {
    const secretOf = awsSecretOf(open, prefix);
    manager.on(GetSecretValueCommand).rejects(Object.assign(new Error("slow"), { name: "ThrottlingException" }));
    await expect(secretOf(secret, use)).rejects.toThrow("slow");
    manager.on(GetSecretValueCommand).resolves({ SecretBinary: new Uint8Array([1]) });
    expect(await secretOf(secret, use)).toBeUndefined();
  });

  test("are checked for existence when they are configured", async () => {
    const problemOf = awsSecretProblem(open, prefix);
    manager.on(DescribeSecretCommand, { SecretId: name }).resolves({ Name: name });
    expect(await problemOf(secret, use)).toBeUndefined();
    expect(manager.commandCalls(GetSecretValueCommand)).toHaveLength(0);
    manager.on(DescribeSecretCommand).resolves({ Name: name, DeletedDate: new Date() });
    expect(await problemOf(secret, use)).toContain("is being deleted");
    manager.on(DescribeSecretCommand).rejects(new ResourceNotFoundException({ message: "no", $metadata: {} }));
    expect(await problemOf(secret, use)).toContain(`create-secret --name ${name}`);
    manager.on(DescribeSecretCommand).rejects(new Error("not allowed"));
    await expect(problemOf(secret, use)).rejects.toThrow("not allowed");
  });
});
