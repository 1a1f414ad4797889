import { beforeAll, describe, expect, test } from "vitest";
import { type UploadHosting, uploadHostings } from "../../lib/front-door/hosting.ts";
import {
  type Answer,
  createBody,
  type UploadServerProcess,
  send,
  startUploadServer,
} from "../integration/front-door/upload-process.ts";

const MiB = 1024 * 1024;
const tooLarge = { detail: "total file size exceeds the allowed limit" };
const tenFiles = Array.from({ length: 10 }, () => MiB);
const chunked = { headers: { "transfer-encoding": "chunked" } };

function expectCreated({ status, body }: Answer): void {
  expect({ status, body }).toEqual({ status: 201, body: { agent_id: expect.any(String) as string } });
}

/** Creates of 14 MB that are sent at the same time. */
const uploads = 32;
/** A leak shows from the third on. */
const rounds = 3;

describe.each(Object.keys(uploadHostings) as UploadHosting[])("the upload server with the memory of %s", (hosting) => {
  let service: UploadServerProcess;
  beforeAll(async () => {
    service = await startUploadServer(hosting);
    return async () => {
      service.child.kill("SIGKILL");
      await service.exited;
    };
  });

  test("accepts 10 files of 1 MiB, with a length and chunked", async () => {
    const { objects, started } = service.aws;
    const body = createBody(service, tenFiles);
    const [bytes, runs] = [objects.bytes, started.length];
    expectCreated(await send(service, body));
    expectCreated(await send(service, body, chunked));
    expect(objects.bytes - bytes).toBe(20 * MiB);
    expect(started.length - runs).toBe(2);
  });

  test.each([
    ["10 MiB + 1 byte of files", () => createBody(service, [10 * MiB, 1])],
    ["a body of 30 MB", () => Buffer.alloc(30_000_000, "a")],
  ])("%s: 413 with the text of the contract, with a length and chunked", async (_, bodyOf) => {
    const body = bodyOf();
    for (const how of [{}, chunked]) {
      const { status, body: answer } = await send(service, body, how);
      expect({ status, answer }).toEqual({ status: 413, answer: tooLarge });
    }
  });

  test("rejects 19 MiB of nested arrays in an unknown field, four at a time", async () => {
    const nested = "[".repeat(9.5 * MiB) + "]".repeat(9.5 * MiB);
    const body = Buffer.from(`{"name":"n","template_id":"${service.templateId}","x":${nested}}`);
    for (const { status, body: answer } of await Promise.all(Array.from({ length: 4 }, () => send(service, body)))) {
      expect({ status, answer }).toMatchObject({ status: 422, answer: { detail: [{ type: "json_invalid" }] } });
    }
  });

  test(`creates a run for each of ${uploads} uploads at once, ${rounds} x, and leaks no memory`, async () => {
    const { memory } = uploadHostings[hosting];
    const body = createBody(service, tenFiles);
    const peaks: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(Array.from({ length: uploads }, () => send(service, body)));
      for (const answer of answers) expectCreated(answer);
      peaks.push(service.memory("VmHWM"));
    }
    console.log(
      `${hosting}, ${memory} MB: peak ${peaks.join(", ")} MB after each round of ${uploads} uploads of 14 MB`,
    );
    expect(peaks.at(-1)).toBeLessThan(memory * 0.85);
    // Memory stops growing after two rounds; a server that kept one body in four would gain 112 MB a round of 32.
    const [, second = 0, third = 0] = peaks;
    expect(third - second).toBeLessThan(100);
  }, 180_000);

  test("still responds afterwards, and exits on SIGTERM", async () => {
    expectCreated(await send(service, createBody(service, [1])));
    expect(await service.end()).toBe(0);
    expect(service.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("logs metrics and log lines in the formats of CloudWatch", () => {
    const answers = service.lines.filter(({ message }) => message === "request").map(({ status }) => status);
    const failures = service.lines.flatMap(({ LargeRequestsFailed: failed }) => (failed === undefined ? [] : [failed]));
    expect(failures).toEqual(answers.map(() => 0));
    const [measured, logged] = [true, false].map((each) => service.lines.filter((line) => "_aws" in line === each));
    expect(measured?.filter(({ RunsCreated }) => RunsCreated === 1)).toHaveLength(service.aws.started.length);
    for (const { timestamp, level } of logged ?? []) {
      expect([String(timestamp), level]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), "info"]);
    }
  });
});
