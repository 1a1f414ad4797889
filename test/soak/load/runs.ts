import { expect } from "vitest";
import type { Schemas } from "../../../src/ext/call.ts";
import type { RunStatus } from "../../integration/service.ts";
import { forAll, type Work } from "./callers.ts";
import type { KilledService } from "./killed-service.ts";

/** Turns that a caller starts before it waits for one: the rest of the load gets its share. */
const turnsAtOnce = 4;

/** A run when no turn is in progress or it waits for answers. */
export async function settled(service: KilledService, id: string): Promise<Schemas["RunDetail"]> {
  for (;;) {
    const { body } = await service.insist<Schemas["RunDetail"]>("GET", `/ext/v1/runs/${id}?wait=20`);
    if (body.status !== "running" || body.state === "waiting") return body;
  }
}

export async function transcriptOf(service: KilledService, id: string): Promise<RunStatus["transcript"]> {
  return (await service.insist<RunStatus>("GET", `/v1/agents/${id}`)).body.transcript;
}

async function listed(service: KilledService): Promise<Schemas["Run"][]> {
  const found: Schemas["Run"][] = [];
  let more = "";
  for (;;) {
    const { data, next } = (await service.insist<Schemas["RunPage"]>("GET", `/ext/v1/runs?limit=200${more}`)).body;
    found.push(...data);
    if (next === null) return found;
    more = `&cursor=${encodeURIComponent(next)}`;
  }
}

/** Each create that was acknowledged is one run, which ends. None is there twice. */
export function creates(): Work & { ids: string[] } {
  let sent = 0;
  const ids: string[] = [];
  return {
    name: "creates",
    callers: 3,
    ids,
    acknowledged: () => ids.length,
    async round(service) {
      const number = ++sent;
      const files = [{ filename: "in.txt", content_base64: Buffer.from(`of ${number}`).toString("base64") }];
      const body = { name: `create-${number}`, input_text: `Create ${number}.`, files };
      const { id } = (await service.send<{ id: string }>("POST", "/ext/v1/runs", { body })).body;
      ids.push(id);
      if (number % turnsAtOnce === 0) await settled(service, id);
    },
    async check(service, count) {
      const runs = (await listed(service)).filter(({ name }) => name.startsWith("create-"));
      expect(new Set(runs.map(({ name }) => name)).size).toBe(runs.length);
      const known = new Set(runs.map(({ id }) => id));
      expect(ids.slice(0, count).filter((id) => !known.has(id))).toEqual([]);
      await forAll(ids.slice(0, count), async (id) => {
        const { name, status } = await settled(service, id);
        expect([name, status]).toEqual([name, "finished"]);
        const number = name.split("-")[1];
        const file = await service.insist("GET", `/ext/v1/runs/${id}/files/in.txt`);
        expect(file.bytes.toString()).toBe(`of ${number}`);
        expect((await transcriptOf(service, id))[0]?.text).toBe(`Create ${number}.`);
      });
    },
  };
}

/** Each input that was acknowledged is one turn. None of the others is two. */
export function inputs(runs: { ids: string[] }): Work {
  let sent = 0;
  const given: { id: string; text: string }[] = [];
  return {
    name: "inputs",
    callers: 3,
    acknowledged: () => given.length,
    async round(service, numbers) {
      const recent = runs.ids.slice(-20);
      if (recent.length === 0) return service.after(1);
      const [id, text] = [numbers.pick(recent), `Input ${++sent}.`];
      const body = { input_text: text };
      // 409: 20 inputs wait already.
      const { status } = await service.send("POST", `/ext/v1/runs/${id}/input`, { body, expected: [202, 409] });
      if (status === 202) given.push({ id, text });
      if (sent % turnsAtOnce === 0) await settled(service, id);
    },
    async check(service, count) {
      const acknowledged = Map.groupBy(given.slice(0, count), ({ id }) => id);
      await forAll(acknowledged, async ([id, texts]) => {
        const { turn, status } = await settled(service, id);
        const transcript = await transcriptOf(service, id);
        expect([id, status, transcript.length]).toEqual([id, "finished", 2 * turn]);
        const turns = transcript.filter(({ role }) => role === "input_to_agent").map(({ text }) => text);
        const answers = transcript.filter(({ role }) => role === "output_from_agent").map(({ text }) => text);
        expect(new Set(turns).size).toBe(turns.length);
        expect(texts.filter(({ text }) => !turns.includes(text))).toEqual([]);
        expect(answers.map((text) => text.split("\n")[0])).toEqual(turns.map((text) => `Did ${text}`));
      });
    },
  };
}
