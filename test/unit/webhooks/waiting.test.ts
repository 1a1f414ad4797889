import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { argumentsHash } from "../../../src/agent/asks.ts";
import type { JournalEntry } from "../../../src/agent/turn/journal.ts";
import { sendDelivery, type SendDeps } from "../../../src/deliveries/send-delivery.ts";
import type { RunChange } from "../../../src/runs/run-types.ts";
import { anAnswer, created, largeText, numbered, onTurn } from "../../platform/run-fixtures.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { webhookReceiver } from "../../support/webhook-receiver.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const at = Date.now();
const until = at + 60_000;
const since = 1_763_000_000_500;

const answerWith = (...inputs: object[]): JournalEntry => {
  const toolCalls = inputs.map((input, index) => ({ id: `c${index}`, name: `tool_${index}`, input }));
  return { part: "answer", step: 2, model: "m", answer: { ...anAnswer, toolCalls } };
};
const asked = (call: number): JournalEntry => ({ part: "asked", step: 2, call, kind: "approval", until });
const answered = (call: number, text: string): JournalEntry => {
  return { part: "answered", step: 2, call, answer: { kind: "output", text } };
};

/**
 * Stores of AWS with a run that waits after these entries, and its delivery. `write` continues its journal.
 */
async function waiting(url: string, before: JournalEntry[], asks: JournalEntry[]) {
  const stores = fakeAwsStores();
  const run = await created(stores.runs, { webhook: "agent" });
  await stores.accounts.replaceWebhook({
    agentId: run.agentId,
    organizationId: run.organizationId,
    url,
    enabled: true,
    privateAddresses: true,
    secrets: [{ value: secret, createdAt: 1 }],
    createdAt: 1,
    updatedAt: 1,
  });
  let { sequence } = run;
  const write = async (entries: JournalEntry[], more: Partial<RunChange> = {}) => {
    const inTurn = entries.map((entry) => ({ turn: 1, ...entry }));
    const change = { ...onTurn(run), ...more, entries: numbered(sequence, { entries: inTurn }).entries };
    expect(await stores.runs.change(change)).toBe(true);
    sequence += entries.length;
  };
  for (const entry of before) await write([entry]);
  const set = { status: "running", turn: 1, updatedAt: at } as const;
  await write(asks, { set: { ...set, asks: { askedUntil: until, pauses: 1, worked: 0 } } });
  const deps: SendDeps = { ...stores, addresses: "local", now: () => at };
  return { deps, id: `msg_${run.id.replaceAll("-", "")}_1_waiting_1`, run, set, write };
}

/** What the receiver is told. */
async function told(before: JournalEntry[], asks: JournalEntry[], ...after: JournalEntry[]) {
  await using receiver = await webhookReceiver();
  const { deps, id, write } = await waiting(receiver.url, before, asks);
  if (after.length > 0) await write(after);
  expect(await sendDelivery(deps, id, 0)).toBe("done");
  const [message] = receiver.received;
  const { data } = new Webhook(secret).verify(message!.body, message!.headers) as { data: Record<string, unknown> };
  return data;
}

const inputs = [{ to: "a@example.com" }, { to: "b@example.com" }];
const call = (index: number) => ({
  id: `1.2.${index}`,
  kind: "approval",
  name: `tool_${index}`,
  since: new Date(since).toISOString(),
  until: new Date(until).toISOString(),
});
const withArguments = (index: number) => ({
  ...call(index),
  arguments: JSON.stringify(inputs[index]),
  arguments_sha256: argumentsHash({ input: inputs[index] }),
});

test("a message that a run waits has its state and its calls with their exact arguments", async () => {
  const data = await told([answerWith(...inputs)], [asked(0), asked(1)]);
  expect(data).toMatchObject({ status: "running", state: "waiting", turn: 1 });
  expect(data["open_calls"]).toEqual([withArguments(0), withArguments(1)]);
});

test("calls that were answered since are left out", async () => {
  const data = await told([answerWith(...inputs)], [asked(0), asked(1)], answered(0, "yes"));
  expect(data["open_calls"]).toEqual([withArguments(1)]);
});

test("long arguments are left out, and on AWS the name of their tool, which is in the bucket with them", async () => {
  const half = { text: "x".repeat(33_000) };
  // Both are one entry of the journal: in the bucket.
  const { id, kind, since: from, until: to } = { ...call(0) };
  expect((await told([answerWith(half, half)], [asked(0)]))["open_calls"]).toEqual([
    { id, kind, since: from, until: to },
  ]);
  // An earlier text in the bucket does not matter.
  const earlier = { ...answerWith({ text: largeText(1) }), step: 1 };
  expect((await told([earlier, answerWith(...inputs)], [asked(1)]))["open_calls"]).toEqual([withArguments(1)]);
});

test("a message has no calls if it cannot be told which were answered", async () => {
  const data = await told([answerWith(...inputs)], [asked(0), asked(1)], answered(0, largeText(1)));
  expect(data).toMatchObject({ state: "waiting" });
  expect(data).not.toHaveProperty("open_calls");
});

test("a message has no calls if the run continued, or waits again", async () => {
  await using receiver = await webhookReceiver();
  const continued = await waiting(receiver.url, [answerWith(...inputs)], [asked(0)]);
  const expected = { status: "running", turn: 1, asks: true } as const;
  await continued.write([answered(0, "yes")], { expect: { ...expected, pauses: 1 }, set: continued.set });
  expect(await sendDelivery(continued.deps, continued.id, 0)).toBe("done");
  const asks = { askedUntil: until, pauses: 2, worked: 0 };
  await continued.write([{ ...asked(0), step: 3 }], { set: { ...continued.set, asks } });
  const again = continued.id.replace(/1$/, "2");
  expect(await sendDelivery(continued.deps, again, 0)).toBe("done");
  const bodies = receiver.received.map(({ body }) => (JSON.parse(body) as { data: object }).data);
  expect(bodies[0]).not.toHaveProperty("open_calls");
  expect(bodies[1]).toMatchObject({ open_calls: [{ id: "1.3.0" }] });
});
