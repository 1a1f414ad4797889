import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCall, waits } from "./answer-cases.ts";
import { agent, askAgent, getRun, id } from "./case.ts";
import { cases } from "./cases.ts";
import { type Driver, drivers } from "./driver.ts";
import { type ScriptedServer, scriptedServer } from "./scripted-server.ts";

describe.each(Object.keys(drivers))("%s", (language) => {
  let driver: Driver;
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await scriptedServer();
    driver = await drivers[language]!();
  });
  afterAll(async () => {
    await driver[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test.for(Object.entries(cases))("%s", async ([, { replies, job, expected }]) => {
    const { url, received } = server.script(...replies);
    const outcome = await driver.run({ ...job, baseUrl: url });
    const calls = received.map(({ call }) => call);
    const { error, ...rest } = expected(received);
    expect(outcome.error).toEqual(error === undefined ? undefined : expect.objectContaining(error));
    expect({ calls, ...outcome }).toMatchObject(rest);
    expect(JSON.stringify(outcome)).not.toContain("ak_test");
  });

  // A function without asyncio cannot be interrupted.
  test.skipIf(language === "Python")("stops waiting at the deadline while a function does not end", async () => {
    const { url, received } = server.script(agent, waits(openCall("1.1.0")));
    const tools = { find_order: { never: true } } as const;
    const job = { method: "serve_tools", args: [id], tools, options: { timeout: 300 }, realTime: true };
    const { error, called } = await driver.run({ ...job, baseUrl: url });
    expect(error).toMatchObject({ name: "WaitTimeout", run_id: id });
    expect(called).toHaveLength(1);
    expect(received.map(({ call }) => call)).toEqual([askAgent, getRun]);
  });
});
