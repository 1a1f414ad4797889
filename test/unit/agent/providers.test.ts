import { describe, expect, it, vi } from "vitest";
import type { ModelConfiguration } from "../../../src/agent/model.ts";
import { secretMissing, SecretRefused } from "../../../src/agent/secret.ts";
import { modelProblem } from "../../../src/agent/models/model-config.ts";
import { openModel } from "../../../src/agent/models/open-model.ts";
import { modelServer } from "../../providers/model-server.ts";

const server: ModelConfiguration = { enabled: true, provider: "openai-compatible", baseUrl: "http://h/v1", model: "m" };
const claude: ModelConfiguration = { enabled: true, provider: "anthropic", model: "m", secret: "env:KEY" };
const converse: ModelConfiguration = { enabled: true, provider: "bedrock", model: "m", region: "eu-central-1" };
const missing = () => secretMissing;
const usable = () => undefined;
const { signal } = new AbortController();
const noSecret = async () => undefined;

describe("modelProblem", () => {
  it("reports a missing configuration", () => {
    expect(modelProblem(undefined, missing)).toMatch(/no inference model configured/);
  });

  it.each<[string, ModelConfiguration, RegExp]>([
    ["a disabled model", { enabled: false, provider: "demo" }, /disabled/],
    ["a missing secret", { ...server, secret: "env:KEY" }, /secret .* does not exist/],
    ["a missing secret of Anthropic", claude, /secret .* does not exist/],
    ["an invalid base URL", { ...server, baseUrl: "localhost:1234" }, /not an http or https URL/],
    ["an invalid optional base URL", { ...converse, baseUrl: "h" }, /not an http or https URL/],
    [
      "a region that changes the host name",
      { ...converse, region: "evil.example/?" },
      /region .* is not the name of an AWS region/,
    ],
    [
      "an unknown provider",
      { enabled: true, provider: "oracle" } as unknown as ModelConfiguration,
      /'oracle' is unknown.*demo/,
    ],
    [
      "a provider named like an object property",
      { enabled: true, provider: "toString" } as unknown as ModelConfiguration,
      /unknown/,
    ],
  ])("reports %s", async (_, configuration, problem) => {
    expect(modelProblem(configuration, missing)).toMatch(problem);
    expect(await openModel(configuration, undefined, noSecret)).toMatchObject({
      failure: { category: "model_configuration", retryable: false, title: expect.stringMatching(problem) },
    });
  });

  it("is undefined for a usable configuration", () => {
    expect(modelProblem({ enabled: true, provider: "demo" }, missing)).toBeUndefined();
    expect(modelProblem(server, missing)).toBeUndefined();
    expect(modelProblem(converse, missing)).toBeUndefined();
    expect(modelProblem({ ...converse, region: "us-gov-west-1" }, missing)).toBeUndefined();
    expect(modelProblem({ ...server, secret: "env:KEY" }, usable)).toBeUndefined();
    expect(modelProblem(claude, usable)).toBeUndefined();
  });
});

it("an unavailable secret store is retryable, and the failure contains only the error's name", async () => {
  const opened = await openModel(claude, undefined, () => Promise.reject(new RangeError("sk-hush")));
  expect(opened).toMatchObject({
    failure: { category: "model_unavailable", retryable: true, title: expect.stringContaining("RangeError") },
  });
  expect(JSON.stringify(opened)).not.toContain("sk-hush");
});

it("a refused secret is a configuration failure, which is not retried, and no request is sent", async () => {
  await using listening = await modelServer();
  const asked: string[] = [];
  const opened = await openModel({ ...claude, baseUrl: listening.baseUrl }, undefined, async (secret, url) => {
    asked.push(secret, url);
    throw new SecretRefused("may not be sent to this host");
  });
  expect(opened).toMatchObject({
    failure: {
      category: "model_configuration",
      retryable: false,
      title: expect.stringMatching(/^The secret with .* inference model may not be sent to this host\.$/),
    },
  });
  expect(asked).toEqual(["env:KEY", listening.baseUrl]);
  expect(listening.received).toEqual([]);
});

it.each([server, claude, converse])("opens the agent's model instead of the default: %j", async (configuration) => {
  await using listening = await modelServer((response) => void response.writeHead(400).end("{}"));
  const baseUrl = listening.baseUrl;
  const opened = await openModel({ ...configuration, baseUrl }, "chosen-one", async () => "sk-1");
  if ("failure" in opened) throw new Error(opened.failure.title);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  await opened.model({ instructions: "", messages: [{ role: "user", text: "Hi" }], tools: [], signal });
  vi.unstubAllEnvs();
  const [received] = listening.received;
  expect(`${received?.url} ${JSON.stringify(received?.body)}`).toContain("chosen-one");
});
