import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { finishes, streamedModel, writes } from "../providers/streamed-model.ts";
import { type Agent, type Deployed, openDeployed, server } from "./deployed.ts";

let deployed: Deployed;
let model: Awaited<ReturnType<typeof streamedModel>>;
let agent: Agent;
beforeAll(async () => {
  deployed = await openDeployed();
  model = await streamedModel();
  agent = await deployed.newAgent(...server(model.baseUrl));
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  deployed.close();
});

const nextCall = () => model.nextCall({ timeout: 60_000 });

/** Reads the stream of a run as its clients do: again and again, after the time that it names. */
async function follow(runId: string, onDelta: (text: string) => void) {
  const responses: string[] = [];
  for (let ended = false; !ended; ended = responses.at(-1)?.includes("event: end") ?? true) {
    const headers = { authorization: `Bearer ${agent.key}`, accept: "text/event-stream" };
    const response = await fetch(`${deployed.baseUrl}/ext/v1/runs/${runId}/events`, { headers });
    const text = await response.text();
    responses.push(text);
    const [, delta] = /^event: delta\ndata: (.*)$/m.exec(text) ?? [];
    if (delta !== undefined) onDelta((JSON.parse(delta) as { text: string }).text);
    await sleep(Number([...text.matchAll(/^retry: (\d+)$/gm)].at(-1)?.[1]));
  }
  return responses;
}

const sortKeys = async (runId: string) => (await deployed.itemsOf(runId)).map(({ sk }) => sk);

test("a stream has the text of an answer while it is written, and a run without a reader stores none", async () => {
  const unwatched = await agent.api.create("Write.");
  const unseen = await nextCall();
  writes(unseen, "Unseen");
  const runId = await agent.api.create("Write.");
  const shown = { text: "" };
  const following = follow(runId, (text) => void (shown.text = text));
  const call = await nextCall();
  writes(call, "Once upon");
  await expect.poll(() => shown.text, { timeout: 30_000 }).toBe("Once upon");
  expect(await sortKeys(runId)).toContain("TEXT");
  writes(call, " a time");
  await expect.poll(() => shown.text, { timeout: 30_000 }).toBe("Once upon a time");
  finishes(call);
  const last = (await following).at(-1);
  expect(last).toContain('"text":"Once upon a time"');
  expect(last).not.toContain("event: delta");
  finishes(unseen);
  await agent.api.ended(unwatched);
  expect(await sortKeys(unwatched)).not.toContain("TEXT");
});
