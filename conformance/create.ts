import { create, created, pollToEnd, read } from "./client.ts";
import { type Case, describe, expect, expectCreated, expectFinishedTurn, expectStatusBody } from "./expect.ts";

// Creates respond at once, while runs take minutes. Leaves room for a cold start and a slow line.
const immediateMilliseconds = 10_000;

/** Fields that must be accepted (with `open`: or rejected with 422). None of them starts a turn. */
const accepted: { name: string; fields: Record<string, unknown>; open?: true }[] = [
  { name: "name of 1 character", fields: { name: "n" } },
  { name: "name of 200 characters", fields: { name: "n".repeat(200) } },
  { name: "name of 200 emoji (code points are counted)", fields: { name: "😀".repeat(200) } },
  { name: "files: an empty list", fields: { files: [] } },
  { name: "input_text: null", fields: { input_text: null } },
  { name: "an unknown body field (open: 201 or 422)", fields: { unknown_field: 1 }, open: true },
];

/** Inputs that must appear unchanged in the transcript, followed by an output. */
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
    name: "create: responds 201 at once with exactly {agent_id}",
    async run(target) {
      const response = await create(target);
      expectCreated(response);
      const seconds = `${(response.milliseconds / 1000).toFixed(1)} s`;
      expect(
        response.milliseconds < immediateMilliseconds,
        `a response within ${immediateMilliseconds / 1000} s`,
        seconds,
      );
    },
  },
  ...accepted.map(
    ({ name, fields, open }) =>
      ({
        name: `create: accepts ${name}`,
        async run(target) {
          const response = await create(target, fields);
          if (open && response.status === 422) return;
          const id = expectCreated(response);
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
    name: "create: accepts template_id without hyphens, or rejects it with 422 (open)",
    async run(target) {
      const response = await create(target, { template_id: target.templateId.replaceAll("-", "") });
      expect([201, 422].includes(response.status), "201 or 422", describe(response));
    },
  },
  {
    name: "create: two equal calls create two runs",
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
          const response = await read(target, id);
          const { loop_status, transcript } = expectStatusBody(response, id);
          // An idle run may be stopped automatically.
          const fits = ["finished", "running", "terminated"].includes(loop_status) && transcript.length === 0;
          expect(fits, "finished or running, and an empty transcript", describe(response));
        },
      }) satisfies Case,
  ),
  {
    name: 'run: input_text "" is an input or no input (open), never an error',
    async run(target) {
      const id = await created(target, { input_text: "" });
      const response = await read(target, id);
      const body = expectStatusBody(response, id);
      const [first] = body.transcript;
      const input = first === undefined || (first.role === "input_to_agent" && first.text === "");
      expect(input, 'a transcript that is empty or starts with the input ""', describe(response));
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
