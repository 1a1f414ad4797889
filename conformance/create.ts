import { create, created, pollToEnd, read } from "./client.ts";
import { type Case, describe, expect, expectCreated, expectFinishedTurn, expectStatusBody } from "./expect.ts";

// A create answers at once while runs take minutes; a cold start and a slow line are no failure.
const immediateMilliseconds = 10_000;

/** Fields that must be accepted (or, with `open`, may be refused with 422). None of them starts a turn. */
const accepted: { name: string; fields: Record<string, unknown>; open?: true }[] = [
  { name: "name of 1 character", fields: { name: "n" } },
  { name: "name of 200 characters", fields: { name: "n".repeat(200) } },
  { name: "name of 200 emoji (code points are counted)", fields: { name: "😀".repeat(200) } },
  { name: "files: an empty list", fields: { files: [] } },
  { name: "input_text: null", fields: { input_text: null } },
  { name: "an unknown body field (open: 201 or 422)", fields: { unknown_field: 1 }, open: true },
];

/** Inputs that have to be in the transcript as they were sent, and answered. */
const inputs: { name: string; text: string }[] = [
  { name: "a sentence", text: "Reply with one short sentence." },
  {
    name: "several scripts, emoji and line ends",
    text: "Reply shortly.\nÜbergröße, u\u0308bergroß\r\n日本語\tעברית 👩‍👩‍👧‍👦 \\ \" ' < & \u2028 end ",
  },
  {
    name: "20,000 characters",
    text: `Reply with the word yes.\n${"All of this is filler. ".repeat(870)}`.slice(0, 20_000),
  },
];

export const createCases: Case[] = [
  {
    name: "create: answers 201 at once with exactly {agent_id}",
    async run(target) {
      const answer = await create(target);
      expectCreated(answer);
      const seconds = `${(answer.milliseconds / 1000).toFixed(1)} s`;
      expect(
        answer.milliseconds < immediateMilliseconds,
        `an answer within ${immediateMilliseconds / 1000} s`,
        seconds,
      );
    },
  },
  ...accepted.map(
    ({ name, fields, open }) =>
      ({
        name: `create: accepts ${name}`,
        async run(target) {
          const answer = await create(target, fields);
          if (open && answer.status === 422) return;
          const id = expectCreated(answer);
          expectStatusBody(await read(target, id.toLowerCase()), id.toLowerCase());
        },
      }) satisfies Case,
  ),
  {
    name: "create: accepts template_id in upper case",
    async run(target) {
      expectCreated(await create(target, { template_id: target.templateId.toUpperCase() }));
    },
  },
  {
    name: "create: accepts template_id without hyphens, or refuses it with 422 (open)",
    async run(target) {
      const answer = await create(target, { template_id: target.templateId.replaceAll("-", "") });
      expect([201, 422].includes(answer.status), "201 or 422", describe(answer));
    },
  },
  {
    name: "create: is not idempotent, two equal calls start two runs",
    async run(target) {
      const [first, second] = [await created(target), await created(target)];
      expect(first !== second, "two different ids", `${first} twice`);
    },
  },
  ...[{}, { input_text: null }].map(
    (fields) =>
      ({
        name: `run: created ${"input_text" in fields ? "with input_text null" : "without input_text"} is finished or running, and has no transcript`,
        async run(target) {
          const id = await created(target, fields);
          const answer = await read(target, id);
          const { loop_status, transcript } = expectStatusBody(answer, id);
          // An idle run may be stopped automatically.
          const fits = ["finished", "running", "terminated"].includes(loop_status) && transcript.length === 0;
          expect(fits, "finished or running, and an empty transcript", describe(answer));
        },
      }) satisfies Case,
  ),
  {
    name: 'run: created with input_text "" is an input or none (open), never an error',
    async run(target) {
      const id = await created(target, { input_text: "" });
      const answer = await read(target, id);
      const body = expectStatusBody(answer, id);
      const [first] = body.transcript;
      const input = first === undefined || (first.role === "input_to_agent" && first.text === "");
      expect(input, 'a transcript that is empty or begins with the input ""', describe(answer));
      if (first !== undefined) await pollToEnd(target, id);
    },
  },
  ...inputs.map(
    ({ name, text }) =>
      ({
        name: `run: ${name} as input_text, polled to finished with input and output in order`,
        async run(target) {
          expectFinishedTurn(await pollToEnd(target, await created(target, { input_text: text })), text);
        },
      }) satisfies Case,
  ),
];
