import { beforeAll, expect, test } from "vitest";
import { startRun, untilState } from "../../support/ext-runs.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";

const MiB = 1024 * 1024;

let service: ExtService;
beforeAll(async () => {
  service = await extService({ maxTranscriptBytes: MiB });
  return () => service[Symbol.asyncDispose]();
});

async function send(id: string, text: string): Promise<[number, unknown]> {
  const { status, body } = await service.call("POST", `/runs/${id}/input`, { body: { input_text: text } });
  return [status, body["code"]];
}

test("an input that does not fit into the transcript is 409, a shorter one is accepted", async () => {
  const id = await startRun(service, { input_text: "x".repeat(0.6 * MiB) });
  await untilState(service, id, "finished");
  const { status, body } = await service.call("POST", `/runs/${id}/input`, {
    body: { input_text: "y".repeat(MiB / 2) },
  });
  expect([status, body]).toEqual([
    409,
    {
      code: "transcript_full",
      detail: `the transcript of run ${id} would have 1.2 MB with this input; at most 1 MB are accepted; start another run`,
    },
  ]);
  expect(await send(id, "Go on.")).toEqual([202, undefined]);
  expect(await untilState(service, id, "finished")).toMatchObject({ turn: 2 });
});

test("queued inputs count, and those that were accepted are processed", async () => {
  const id = await startRun(service, { input_text: "Work.\ndemo: steps=10 delay=50" });
  const half = "z".repeat(0.4 * MiB);
  expect([await send(id, half), await send(id, half)]).toEqual([
    [202, undefined],
    [202, undefined],
  ]);
  expect(await send(id, half)).toEqual([409, "transcript_full"]);
  expect(await untilState(service, id, "finished")).toMatchObject({ turn: 3 });
});

test("the input of a create has no limit but that of its body", async () => {
  const id = await startRun(service, { input_text: "x".repeat(2 * MiB) });
  await untilState(service, id, "finished");
  expect(await send(id, "y")).toEqual([409, "transcript_full"]);
});
