import { afterAll, beforeAll, expect, test } from "vitest";
import { chatServer, scripted } from "../../providers/chat-completions-server.ts";
import { type ManageService, manageService, untilIdle } from "../../support/manage-service.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";

let model: Awaited<ReturnType<typeof chatServer>>;
let service: ManageService;
let agentId: string;
let left: string;
let right: string;

/** Lists, writes the input to a file that it names, and answers with the input. */
const works = scripted(({ input: text, results }) => {
  const [input = ""] = text.split("\n"); // without the note on the files of earlier turns
  if (results.length === 0) return { calls: [["list_files", {}]] };
  if (results.length === 1) return { calls: [["write_file", { name: `${input.toLowerCase()}.txt`, content: input }]] };
  return { text: `Wrote ${input}` };
});

const definition = {
  name: "Writer",
  instructions: "Write.",
  tools: ["list_files", "write_file"],
  limits: { steps: 10, tokens: 100_000, seconds: 60 },
  prices: { input: 1, output: 10 },
};

beforeAll(async () => {
  model = await chatServer(...Array.from({ length: 20 }, () => works));
  service = await manageService({
    model: { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" },
  });
  const { body: starter } = await service.call<Schemas["Agent"]>("GET", `/agents/${service.templateId}`);
  const owned = { organization_id: starter.organization_id, definition };
  agentId = (await service.call<Schemas["Agent"]>("POST", "/agents", { body: owned })).body.id;
  [left, right] = [await finished("One"), await finished("Two")];
  await service.call("POST", `/runs/${right}/input`, { body: { input_text: "One" } });
  await idle(right);
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function finished(input_text: string): Promise<string> {
  const body = { agent_id: agentId, name: input_text, input_text };
  const { id } = (await service.call<Schemas["CreatedRun"]>("POST", "/runs", { body })).body;
  await idle(id);
  return id;
}

const idle = (id: string) => untilIdle(service, id);

const compare = (query: string, run = left) =>
  service.call<Schemas["RunComparison"]>("GET", `/runs/${run}/comparison?${query}`);

test("two runs differ from the first call with other arguments on", async () => {
  const { status, body } = await compare(`other_run_id=${right}&other_turn=1`);
  expect(status).toBe(200);
  expect(body.run).toMatchObject({ run_id: left, name: "One", turn: 1, turns: 1, input: "One", output: "Wrote One" });
  expect(body.other).toMatchObject({ run_id: right, name: "Two", turn: 1, turns: 2, output: "Wrote Two" });
  expect(body.run.used).toMatchObject({ steps: 3, dollars: expect.any(Number) });
  expect(body).toMatchObject({ same_output: false, files_unknown: null, first_difference: 1 });
  expect(body.files).toEqual([
    { name: "one.txt", change: "removed" },
    { name: "two.txt", change: "added" },
  ]);
  expect(body.calls.map(({ same, run, other }) => [run?.name, other?.name, same])).toEqual([
    ["list_files", "list_files", true],
    ["write_file", "write_file", false],
  ]);
});

test("the last turns are compared unless others are named, and turns of one run can be", async () => {
  const last = await compare(`other_run_id=${right}`);
  expect(last.body).toMatchObject({ other: { turn: 2 }, same_output: true, first_difference: null });
  expect(last.body.files).toEqual([{ name: "two.txt", change: "added" }]);
  const own = await compare(`turn=1&other_run_id=${right.toUpperCase()}`, right);
  expect(own.body).toMatchObject({ run: { turn: 1 }, other: { turn: 2 }, same_output: false });
});

test("a run or turn that does not exist is named", async () => {
  const unknown = "00000000-0000-4000-8000-000000000009";
  expect((await compare(`other_run_id=${unknown}`)).body).toMatchObject({ code: "run_not_found" });
  const { status, body } = await compare(`other_run_id=${right}&other_turn=3`);
  expect([status, body]).toEqual([
    404,
    expect.objectContaining({ code: "step_not_found", detail: `run ${right} has the turns 1 to 2, not turn 3` }),
  ]);
  expect((await compare("turn=1")).status).toBe(422);
  const withoutInput = { agent_id: agentId, name: "Idle" };
  const { id } = (await service.call<Schemas["CreatedRun"]>("POST", "/runs", { body: withoutInput })).body;
  expect((await compare(`other_run_id=${id}`)).body).toMatchObject({
    detail: `run ${id} has no turn yet, not turn 1`,
  });
});
