import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostileDocuments } from "../fixtures/hostile-documents.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";
import { type Tenant, type TenantService, tenantService } from "../support/tenants.ts";

/** What the agent calls for an input. A program of a minute cannot end during a test. */
const calls: Record<string, { name: string; arguments: object }> = {
  "endless programs": { name: "run_javascript", arguments: { code: "while (true) {}", seconds: 60 } },
  "endless scripts": { name: "run_shell", arguments: { script: "while :; do :; done", seconds: 60 } },
  "endless documents": { name: "read_file", arguments: { name: "endless.pdf" } },
  "one program": { name: "run_javascript", arguments: { code: "40 + 2" } },
  "one script": { name: "run_shell", arguments: { script: "echo $((40 + 2))" } },
  "one document": { name: "read_file", arguments: { name: "answer.rtf" } },
};

/** The model answers slow turns when this resolves. */
const slow = Promise.withResolvers<void>();

function script(input: string, step: number) {
  if (input === "slow") return { text: "Done.", until: slow.promise };
  const call = Object.entries(calls).find(([name]) => input.startsWith(name))?.[1]; // the names of files follow
  if (!call || step > 1) return { text: "Done." };
  return { calls: Array(input.startsWith("endless") ? 16 : 1).fill(call) };
}

let service: TenantService;
beforeAll(async () => {
  service = await tenantService(script, { sandbox: "auto" });
});
afterAll(() => service[Symbol.asyncDispose]());

const [{ content: endlessDocument }] = hostileDocuments as [(typeof hostileDocuments)[number]];
const fileOf = (filename: string, content: Uint8Array | string) => ({
  files: [{ filename, content_base64: Buffer.from(content).toString("base64") }],
});

/** Three runs with sixteen calls each. Resolves when they are in progress. */
async function attack(attacker: Tenant, input: string, files?: object): Promise<string[]> {
  const ids = await Promise.all([1, 2, 3].map(() => attacker.start(input, files)));
  for (const id of ids)
    await expect.poll(async () => (await attacker.eventsOf(id)).map(typeOf)).toContain("model_call");
  return ids;
}

const typeOf = ({ type }: { type: string }) => type;

async function result(tenant: Tenant, input: string, files?: object): Promise<string> {
  const id = await tenant.start(input, files);
  await tenant.ended(id);
  return (await tenant.eventsOf(id)).find(({ type }) => type === "tool_result")?.text ?? "no result";
}

test.each([
  ["programs", "one program", undefined, undefined],
  ["scripts", "one script", undefined, undefined],
  ["documents", "one document", fileOf("endless.pdf", endlessDocument()), fileOf("answer.rtf", "{\\rtf1 42}")],
])(
  "another tenant and another agent use %s while one key's endless ones hold all that it may",
  async (what, one, theirs, ours) => {
    const attacker = await service.tenant();
    const colleague = await service.tenant(attacker);
    const stranger = await service.tenant();
    const ids = await attack(attacker, `endless ${what}`, theirs);
    expect(await result(stranger, one, ours)).toContain("42");
    expect(await result(colleague, one, ours)).toContain("42");
    const ended = await Promise.all(ids.map((id) => attacker.eventsOf(id)));
    expect(ended.flat().map(typeOf)).not.toContain("tool_result");
    for (const id of ids) await attacker.call("POST", `/runs/${id}/stop`);
  },
);

test("an agent's messages to a receiver that answers arrive while another of its receivers is silent", async () => {
  await using silent = await webhookReceiver(() => () => {});
  await using receiver = await webhookReceiver();
  const agent = await service.tenant({ webhook: receiver.url });
  await Promise.all(Array.from({ length: 40 }, () => agent.start("Hello", { webhook: { url: silent.url } })));
  await expect.poll(() => silent.received.length).toBe(5);
  for (const webhook of [{ url: `${receiver.url}/own` }, undefined]) {
    const before = receiver.received.length;
    const id = await agent.start("Hello", webhook && { webhook });
    await expect.poll(() => receiver.received.length).toBe(before + 1);
    expect(receiver.received.at(-1)?.body).toContain(id);
  }
  expect(silent.received).toHaveLength(5);
});

test("an agent may have 1,000 event streams open; others, and it after it has closed one, open further ones", async () => {
  const [watcher, stranger] = [await service.tenant(), await service.tenant()];
  const [watched, other] = [await watcher.start("slow"), await stranger.start("slow")];
  const opened: ClientRequest[] = [];
  const open = (tenant: Tenant, runId: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${tenant.apiKey}`, accept: "text/event-stream" };
      const url = `${service.baseUrl}/ext/v1/runs/${runId}/events`;
      opened.push(request(url, { headers, agent: false }, resolve).on("error", reject).end());
    });
  for (let n = 0; n < 1_000; n += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => open(watcher, watched)));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  }
  const refused = await open(watcher, watched);
  expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "5"]);
  expect(JSON.parse(await text(refused))).toMatchObject({
    code: "too_many_requests",
    detail: "too many requests: 1000 event streams are open, which is the limit; close some, or read events in pages",
  });
  expect((await open(stranger, other)).statusCode).toBe(200);
  opened[0]?.destroy();
  await expect.poll(async () => (await open(watcher, watched)).statusCode).toBe(200);
  for (const each of opened) each.destroy();
});

test("a turn of another tenant, and of another agent, ends while one key has more slow turns than there are places", async () => {
  const attacker = await service.tenant();
  const colleague = await service.tenant(attacker);
  const stranger = await service.tenant();
  const ids = await Promise.all(Array.from({ length: 1_005 }, () => attacker.start("slow")));
  for (const other of [stranger, colleague]) await other.ended(await other.start("Hello"));
  const { body } = await attacker.call<{ data: object[] }>("GET", "/runs?status=finished");
  expect(body.data).toEqual([]);
  slow.resolve();
  await attacker.ended(ids[0]!);
});
