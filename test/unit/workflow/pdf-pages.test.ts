import { beforeEach, expect, test, vi } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization, setModel } from "../../../src/accounts/organizations.ts";
import type { ModelConfiguration } from "../../../src/agent/model.ts";
import { readDocument, takePages } from "../../../src/documents/read-document.ts";
import { acceptInput } from "../../../src/runs/control/control-run.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import { journalOf } from "../../../src/runs/read/list-events.ts";
import { sentRequest } from "../../../src/runs/read/sent-request.ts";
import type { Stores } from "../../../src/runs/ports.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { pdf } from "../../fixtures/documents.ts";
import { anthropicFixture } from "../../providers/anthropic-fixture.ts";
import { bedrockFixture, credentials } from "../../providers/bedrock-fixture.ts";
import { modelServer } from "../../providers/model-server.ts";
import { openAiFixture } from "../../providers/openai-fixture.ts";
import { type ProviderFixture, streamsResponse } from "../../providers/provider-fixture.ts";
import { responsesFixture } from "../../providers/responses-fixture.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

interface Wire {
  provider: ProviderFixture;
  configuration: (baseUrl: string) => ModelConfiguration;
  /** What a body contains for each PDF. */
  document: RegExp;
}

const secret = "env:KEY";
const compat = { acceptsPdf: true };
const wires: Record<string, Wire> = {
  "chat completions": {
    provider: openAiFixture,
    configuration: (baseUrl) => ({ enabled: true, provider: "openai-compatible", baseUrl, model: "m", secret, compat }),
    document: /"type":"file","file":\{"filename":"[^"]+","file_data":"data:application\/pdf;base64,([^"]+)"\}/g,
  },
  Responses: {
    provider: responsesFixture,
    configuration: (baseUrl) => ({ enabled: true, provider: "openai-responses", baseUrl, model: "m", secret, compat }),
    document: /"type":"input_file","filename":"file\.pdf","file_data":"data:application\/pdf;base64,([^"]+)"/g,
  },
  Messages: {
    provider: anthropicFixture,
    configuration: (baseUrl) => ({ enabled: true, provider: "anthropic", baseUrl, model: "claude-sonnet-5", secret }),
    document: /"type":"document","source":\{"type":"base64","media_type":"application\/pdf","data":"([^"]+)"\}/g,
  },
  Converse: {
    provider: bedrockFixture,
    configuration: (baseUrl) => ({
      enabled: true,
      provider: "bedrock",
      baseUrl: new URL(baseUrl).origin,
      region: "eu-central-1",
      model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    }),
    document:
      /"document":\{"format":"pdf","name":"[^"]+","source":\{"bytes":"([^"]+)"\},"citations":\{"enabled":true\}\}/g,
  },
};

beforeEach(() => {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
  return () => vi.unstubAllEnvs();
});

const { signal } = new AbortController();
const awsStores = () => Object.assign(fakeAwsStores(), { [Symbol.dispose]: () => {} });

/** The texts of the pages of the PDFs in a body. */
async function pagesIn(body: string, { document }: Wire): Promise<string[]> {
  const texts = [...body.matchAll(document)].map(async ([, base64 = ""]) => {
    const read = await readDocument("pdf", Buffer.from(base64, "base64"), signal);
    return "text" in read ? read.text.replaceAll(/\[Page \d+ of \d+\]\n/g, "").replaceAll("\n\n", " ") : read.problem;
  });
  return Promise.all(texts);
}

/** A run whose model reads pages of a document, which then changes, and its whole in the next turn. */
async function play(stores: Stores, configuration: ModelConfiguration, credential: string): Promise<string> {
  const { id: organizationId } = await createOrganization(stores.accounts, { name: "O" });
  await setModel(stores.accounts, organizationId, configuration);
  const tools = ["read_file", "write_file"];
  const definition = {
    name: "A",
    instructions: "Read.",
    tools,
    limits: { steps: 10, tokens: 1e9, seconds: 1e6 },
    readFile: { pdf: "pages" as const },
  };
  const { id: agentId } = await createAgent(stores.accounts, organizationId, definition);
  const deps = {
    ...stores,
    workflow: { start: async () => {}, stop: async () => {} },
    now: Date.now,
    secretRefusal: () => undefined,
    secretOf: async () => credential,
    readDocumentOf: () => readDocument,
    takePagesOf: () => takePages,
  };
  const pages = Array.from({ length: 30 }, (_, index) => `Text ${index + 1}.`);
  const files = [
    { name: "long.pdf", content: () => pdf(...pages) },
    { name: "short.pdf", content: () => pdf("Short.") },
  ];
  const { id } = await createRun(deps, { agentId, organizationId }, { name: "Run", text: "Start.", files });
  const finish = async (turn: number) => {
    for (let done = false; !done;) {
      ({ done } = await advance(deps, { runId: id, turn }, { signal, deadline: Infinity, leaseWait: 0 }));
    }
  };
  await finish(1);
  await acceptInput(deps, id, "Go on.");
  await finish(2);
  return id;
}

const call = (id: string, name: string, input: object) => ({ id, name, arguments: [JSON.stringify(input)] });

test.each([
  ...Object.entries(wires).map(([name, wire]) => [name, "local", wire, temporaryStores] as const),
  ...Object.entries(wires)
    .slice(0, 1)
    .map(([name, wire]) => [name, "AWS", wire, awsStores] as const),
])("a model sees pages of a PDF as they are over %s, and the request is rebuilt (%s)", async (_, __, wire, open) => {
  using stores = open();
  const { provider } = wire;
  const usage = { input: 50, output: 5 };
  const calls = (...each: ReturnType<typeof call>[]) =>
    streamsResponse(provider, { calls: each, finish: "calls", usage });
  const says = streamsResponse(provider, { text: ["Done."], usage });
  await using server = await modelServer(
    calls(call("a", "read_file", { name: "long.pdf", pages: "4-5" })),
    calls(call("b", "write_file", { name: "long.pdf", content: "gone" })),
    says,
    calls(call("c", "read_file", { name: "short.pdf" })),
    says,
  );
  const id = await play(stores, wire.configuration(server.baseUrl), provider.credential);

  const bodies = server.received.map(({ text }) => text);
  const shown = await Promise.all(bodies.map((body) => pagesIn(body, wire)));
  expect(shown.slice(0, 3)).toEqual([[], ["Text 4. Text 5."], ["Text 4. Text 5."]]);
  expect(shown.at(-1)).toContain("Short.");
  expect(bodies[0]).toContain("Pages of a PDF to be shown as they are");

  const journal = await journalOf(stores, id);
  const [first] = journal.flatMap((entry) => (entry.part === "result" ? [entry.result] : []));
  expect(first?.attachments).toMatchObject([{ mediaType: "application/pdf", pages: 2, sha256: expect.any(String) }]);
  const rebuilt: string[] = [];
  for (const { turn, step } of journal.filter(({ part }) => part === "answer")) {
    const sent = await sentRequest(stores, id, { turn, step });
    if ("unknown" in sent) throw new Error(sent.unknown);
    expect(sent.exact).toBe(true);
    rebuilt.push(sent.request.body);
  }
  expect(rebuilt).toEqual(bodies);
});
