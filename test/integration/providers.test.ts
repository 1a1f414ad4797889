import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { fileText } from "./admin.ts";
import { openAiFixture } from "../providers/openai-fixture.ts";
import { responsesFixture } from "../providers/responses-fixture.ts";
import { bedrockFixture, credentials } from "../providers/bedrock-fixture.ts";
import { anthropicFixture } from "../providers/anthropic-fixture.ts";
import { modelServer } from "../providers/model-server.ts";
import { rejects, streamsResponse, type ProviderFixture } from "../providers/provider-fixture.ts";
import { createRun, finished, newDataDir, startService } from "./service.ts";

const secret = ["--model-secret", "env:MODEL_KEY"];
const providers: [ProviderFixture, (baseUrl: string) => string[]][] = [
  [openAiFixture, (baseUrl) => ["--model-name", "m", "--model-base-url", baseUrl, ...secret]],
  [responsesFixture, (baseUrl) => ["--model-name", "m", "--model-base-url", baseUrl, ...secret]],
  [anthropicFixture, (baseUrl) => ["--model-name", "claude-sonnet-4-5", "--model-base-url", baseUrl, ...secret]],
  [
    bedrockFixture,
    (baseUrl) => [
      "--model-name=eu.amazon.nova-lite-v1:0",
      "--model-region=eu-central-1",
      `--model-base-url=${new URL(baseUrl).origin}`,
    ],
  ],
];

describe.each(providers)("a model of $name", (provider, options) => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", undefined);
    vi.stubEnv("MODEL_KEY", provider.credential);
    return () => vi.unstubAllEnvs();
  });

  const writes = streamsResponse(provider, {
    calls: [{ id: "call-1", name: "write_file", arguments: ['{"name":"report.txt",', '"content":"42"}'] }],
    finish: "calls",
    usage: { input: 30, output: 8 },
  });
  const answers = streamsResponse(provider, { text: ["The answer ", "is 42."], usage: { input: 50, output: 6 } });

  test("runs an agent with tools and does not store or log its credentials", async () => {
    const words = `Not with ${provider.credential}`;
    await using server = await modelServer(
      writes,
      rejects(provider, 429, words, { "retry-after": "1" }),
      answers,
      writes,
      rejects(provider, 401, words),
    );
    const start = [...options(server.baseUrl), "--verbose"];
    await using service = await startService(newDataDir(), ["--model", provider.name, ...start]);
    let printed = "";
    for (const stream of [service.child.stdout, service.child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    }
    const done = await createRun(service, { input_text: "How much?" });
    expect(await finished(service, done)).toMatchObject({
      loop_status: "finished",
      transcript: [
        { role: "input_to_agent", text: "How much?" },
        { role: "output_from_agent", text: "The answer is 42." },
      ],
    });
    expect(await fileText(service.dataDir, done, "report.txt")).toBe("42");
    const refused = await createRun(service, { input_text: "And now?" });
    expect((await finished(service, refused)).loop_status).toBe("technical_error");
    // `read` throws if a request was sent without credentials.
    for (const received of server.received) provider.read(received);
    expect(server.received).toHaveLength(5);
    await service.end("SIGTERM");

    expect(printed).toContain("model-call-failed");
    expect(printed).toContain("Not with [API key]");
    const stored = readdirSync(service.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    expect(stored.join("")).toContain("Not with [API key]");
    for (const value of [provider.credential, credentials.AWS_SECRET_ACCESS_KEY]) {
      expect(printed).not.toContain(value);
      expect(stored.join("")).not.toContain(value);
    }
  });
});

test("create responds with 422 when the secret does not exist, without naming it", async () => {
  await using service = await startService(newDataDir(), [
    "--model=anthropic",
    "--model-name=claude-sonnet-4-5",
    "--model-secret=env:NO_SUCH_KEY",
  ]);
  await expect(createRun(service, { input_text: "Hello" })).rejects.toThrow(
    /^create answered 422: \{"detail":"The secret with the API key .* does not exist/,
  );
  await expect(createRun(service, { input_text: "Hello" })).rejects.not.toThrow("NO_SUCH_KEY");
});

test("a secret that was not allowed at the last start fails runs with 422, and the start names the option", async () => {
  await using model = await modelServer(
    ...Array.from({ length: 2 }, () => streamsResponse(openAiFixture, { text: ["42"] })),
  );
  const url = model.baseUrl;
  const environment = { MODEL_KEY: openAiFixture.credential };
  const dataDir = newDataDir();
  const first = await startService(
    dataDir,
    ["--model", "openai-compatible", "--model-name=m", `--model-base-url=${url}`, ...secret],
    environment,
  );
  expect((await finished(first, await createRun(first, { input_text: "?" }))).loop_status).toBe("finished");
  await first.end("SIGTERM");

  const second = await startService(dataDir, [], environment);
  let errors = "";
  second.child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  await expect(createRun(second, { input_text: "?" })).rejects.toThrow(
    /^create answered 422: \{"detail":"The secret with the API key .* is not one that this service may use; an operator/,
  );
  await vi.waitFor(() => expect(errors).toContain(`it is not allowed. To allow it, add: --allow-secret MODEL_KEY\n`));
  expect(errors).toMatch(/warning: the secret of the model of organization \S+ cannot be used, so new runs with it/);
  await second.end("SIGTERM");

  const host = new URL(url).host;
  const elsewhere = await startService(dataDir, ["--allow-secret", "MODEL_KEY=api.openai.com"], environment);
  await expect(createRun(elsewhere, { input_text: "?" })).rejects.toThrow("may not be sent to this host");
  await elsewhere.end("SIGTERM");
  await using allowed = await startService(dataDir, [`--allow-secret=MODEL_KEY=${host}`], environment);
  expect((await finished(allowed, await createRun(allowed, { input_text: "?" }))).loop_status).toBe("finished");
  expect(model.received).toHaveLength(2);
});
