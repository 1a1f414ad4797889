import { beforeAll, describe, expect, test } from "vitest";
import { type UploadHosting, uploadHostings } from "../../../lib/front-door/hosting.ts";
import { type Answer, createBody, type LargeBodyProcess, send, startLargeBodyServer } from "./server.ts";

const MiB = 1024 * 1024;
const tooLarge = { detail: "total file size exceeds the allowed limit" };
const tenFiles = Array.from({ length: 10 }, () => MiB);
const chunked = { headers: { "transfer-encoding": "chunked" } };

function expectCreated({ status, body }: Answer): void {
  expect({ status, body }).toEqual({ status: 201, body: { agent_id: expect.any(String) as string } });
}

/** `uploads`: bodies of 14 MB that are sent at the same time. `rounds`: how often; a leak shows from the third on. */
export function describeLargeBodies({ uploads, rounds }: { uploads: number; rounds: number }): void {
  describe.each(Object.keys(uploadHostings) as UploadHosting[])("the large-body server in the memory of %s", (home) => {
    describeHost(home, uploads, rounds);
  });
}

function describeHost(home: UploadHosting, uploads: number, rounds: number): void {
  let service: LargeBodyProcess;
  beforeAll(async () => {
    service = await startLargeBodyServer(home);
    return async () => {
      service.child.kill("SIGKILL");
      await service.exited;
    };
  });

  test("takes 10 files of 1 MiB, with a length and chunked", async () => {
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
    ["a body of 60 MB", () => Buffer.alloc(60_000_000, "a")],
  ])("refuses %s in the contract's words, with a length and chunked", async (_, bodyOf) => {
    const body = bodyOf();
    for (const how of [{}, chunked]) {
      const { status, body: answer } = await send(service, body, how);
      expect({ status, answer }).toEqual({ status: 413, answer: tooLarge });
    }
  });

  test(`creates a run for each of ${uploads} uploads at once, ${rounds} x, and leaks no memory`, async () => {
    const { memory } = uploadHostings[home];
    const body = createBody(service, tenFiles);
    const most: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(Array.from({ length: uploads }, () => send(service, body)));
      for (const answer of answers) expectCreated(answer);
      most.push(service.memory("VmHWM"));
    }
    console.log(`${home}, ${memory} MB: peak ${most.join(", ")} MB after each round of ${uploads} uploads of 14 MB`);
    expect(most.at(-1)).toBeLessThan(memory * 0.85);
    // Memory stops growing after two rounds; a server that kept one body in eight would gain 112 MB a round of 64.
    const [third, second] = [most[2], most[1]];
    if (third !== undefined && second !== undefined) expect(third - second).toBeLessThan(100);
  }, 180_000);

  test("is still the same process, and ends in order", async () => {
    expectCreated(await send(service, createBody(service, [1])));
    expect(await service.end()).toBe(0);
    expect(service.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("has counted the runs, in lines that CloudWatch takes for what they are", () => {
    const answers = service.lines.filter(({ message }) => message === "request").map(({ status }) => status);
    const failures = service.lines.flatMap(({ LargeRequestsFailed: failed }) => (failed === undefined ? [] : [failed]));
    expect(failures).toEqual(answers.map(() => 0));
    const [measured, told] = [true, false].map((each) => service.lines.filter((line) => "_aws" in line === each));
    expect(measured?.filter(({ RunsCreated }) => RunsCreated === 1)).toHaveLength(service.aws.started.length);
    for (const { timestamp, level } of told ?? []) {
      expect([String(timestamp), level]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), "info"]);
    }
  });
}
