import { lookup } from "node:dns";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { httpServer } from "../support/http-server.ts";

/** Hosts that this test was kept from. Taken out, they do not fail it. */
const refusedHosts = (): string[] =>
  (globalThis as { hostsBeyondLoopback?: string[] }).hostsBeyondLoopback?.splice(0) ?? [];

test("a test cannot connect beyond loopback, by address, by name, and by a name with its own resolver", async () => {
  const targets = [
    { host: "192.0.2.1", port: 9 },
    { host: "runs.example", port: 9 },
    {
      host: "inside.example",
      port: 9,
      lookup: (_: string, __: object, done: Function) => done(null, [{ address: "192.0.2.2", family: 4 }]),
    },
  ];
  for (const target of targets) {
    const [error] = (await once(connect(target as never), "error").catch((thrown: Error) => [thrown])) as [Error];
    expect(error.message).toContain("only to loopback addresses");
  }
  await expect(fetch("http://192.0.2.3:8080/")).rejects.toThrow("fetch failed");
  const error = await new Promise<Error | null>((resolve) => lookup("other.example", resolve));
  expect(error?.message).toContain("other.example");
  expect(refusedHosts()).toEqual(["192.0.2.1", "runs.example", "192.0.2.2", "192.0.2.3", "other.example"]);
});

test("a test can connect to this machine", async () => {
  await using server = await httpServer((_, response) => response.end("inside"));
  expect(await (await fetch(server.url)).text()).toBe("inside");
  expect(refusedHosts()).toEqual([]);
});
