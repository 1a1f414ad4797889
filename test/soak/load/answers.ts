import { expect } from "vitest";
import type { Schemas } from "../../../src/ext/call.ts";
import { forAll, type Work } from "./callers.ts";
import { settled } from "./runs.ts";

/** Each answer of the caller's program is recorded once, although it is sent again after a lost response, and its run ends with it. */
export function answers(): Work {
  let sent = 0;
  const given: { id: string; output: string }[] = [];
  return {
    name: "answers",
    callers: 3,
    acknowledged: () => given.length,
    async round(service) {
      const output = `answer ${++sent}`;
      const body = { name: "asks", input_text: `ask for ${output}` };
      const { id } = (await service.send<{ id: string }>("POST", "/ext/v1/runs", { body })).body;
      const [open] = (await settled(service, id)).open_calls;
      if (!open) throw new Error(`the run ${id} does not wait for an answer`);
      const answer = { call: open.id, arguments_sha256: open.arguments_sha256, output };
      await service.insist("POST", `/ext/v1/runs/${id}/answers`, { body: answer });
      given.push({ id, output });
    },
    async check(service, count) {
      await forAll(given.slice(0, count), async ({ id, output }) => {
        const run = await settled(service, id);
        const events = await service.send<Schemas["EventPage"]>("GET", `/ext/v1/runs/${id}/events`);
        const recorded = events.body.data.filter(({ type }) => type === "call_answered");
        expect([id, run.status, run.output, recorded.length]).toEqual([id, "finished", output, 1]);
      });
    },
  };
}
