import { expect, test } from "vitest";
import { NoPlace, scheduler, type SchedulerOptions } from "../../src/async/scheduler.ts";
import fc from "../support/properties.ts";

interface Work {
  organization: string;
  agent: string;
  state: "waits" | "runs" | "ended" | "aborted";
  end: () => void;
  abort: () => void;
  settled: Promise<unknown>;
}

/** A scheduler whose pieces of work are started and ended by name: `A1` is one of agent 1 of organization A. */
function pool(options: SchedulerOptions) {
  const shared = scheduler(options);
  const all: Work[] = [];
  const log: string[] = [];
  function add(name: string): Work {
    const [organization = "", agent = ""] = name;
    const ended = Promise.withResolvers<void>();
    const abort = new AbortController();
    const work: Work = {
      organization,
      agent,
      state: "waits",
      end: ended.resolve,
      abort: () => abort.abort(new Error("aborted")),
      settled: Promise.resolve(),
    };
    const run = async () => {
      work.state = "runs";
      log.push(name);
      await ended.promise;
    };
    work.settled = shared.run([organization, agent], run, abort.signal).then(
      () => (work.state = "ended"),
      () => (work.state = "aborted"),
    );
    all.push(work);
    return work;
  }
  return { add, all, log, running: () => all.filter(({ state }) => state === "runs") };
}

/** Lets promises settle that depend on nothing else. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("another organization's work starts at once while one agent has more work than there are places", async () => {
  const { add, log } = pool({ places: 4 });
  for (let n = 0; n < 50; n++) add("A1");
  await settle();
  expect(log).toEqual(["A1", "A1"]);
  add("A2");
  add("B1");
  await settle();
  expect(log).toEqual(["A1", "A1", "A2", "B1"]);
});

test("places go round by organization, then by agent, and in order within an agent", async () => {
  const { add, all, log } = pool({ places: 1 });
  for (const name of ["A1", "A1", "A1", "A2", "B1", "B1", "C1"]) add(name);
  for (const _ of all) {
    await settle();
    for (const work of all) if (work.state === "runs") work.end();
  }
  await settle();
  expect(log).toEqual(["A1", "B1", "C1", "A2", "B1", "A1", "A1"]);
});

test("with one place, work of all waits for the end of the work in progress", async () => {
  const { add, log } = pool({ places: 1 });
  const first = add("A1");
  add("B1");
  await settle();
  expect(log).toEqual(["A1"]);
  first.end();
  await settle();
  expect(log).toEqual(["A1", "B1"]);
});

test("a place is free again when the work fails, and the error is passed on", async () => {
  const shared = scheduler({ places: 1 });
  await expect(shared.run(["A"], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await shared.run(["B"], async () => "done")).toBe("done");
});

test("an aborted wait ends with the signal's reason, and its work never starts", async () => {
  const { add, log } = pool({ places: 1 });
  const first = add("A1");
  const second = add("A1");
  second.abort();
  first.end();
  await settle();
  expect([second.state, log]).toEqual(["aborted", ["A1"]]);
  const aborted = AbortSignal.abort(new Error("stopped"));
  await expect(scheduler({ places: 1 }).run(["A"], async () => {}, aborted)).rejects.toThrow("stopped");
});

test("a wait over the longest one is an error that names the places and the remedy", async () => {
  const longestWait = { seconds: 0.001, what: "programs", remedy: "Call the tool again later." };
  const shared = scheduler({ places: 1, longestWait });
  const ended = Promise.withResolvers<void>();
  const first = shared.run(["A"], () => ended.promise);
  const second = shared.run(["B"], async () => {});
  await expect(second).rejects.toThrow(NoPlace);
  await expect(second).rejects.toThrow(
    "None of the 1 places for programs became free within 0.001 seconds. Call the tool again later.",
  );
  ended.resolve();
  await first;
  expect(await shared.run(["B"], async () => "done")).toBe("done");
});

const names = fc.constantFrom("A1", "A2", "A3", "B1", "B2", "C1", "D1");
const steps = fc.array(
  fc.record({ kind: fc.constantFrom("add", "add", "add", "end", "abort"), name: names, index: fc.nat(100) }),
  { maxLength: 60 },
);

test("holds for any order of work, ends and aborts: shares, places for newcomers, order within an agent, no starvation", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 7 }), steps, async (places, plan) => {
      const { add, all, running } = pool({ places });
      for (const { kind, name, index } of plan) {
        if (kind === "add") add(name);
        const candidates = all.filter(({ state }) => state === (kind === "end" ? "runs" : "waits"));
        if (kind === "end") candidates[index % candidates.length]?.end();
        if (kind === "abort") candidates[index % candidates.length]?.abort();
        await settle();
        check(places, all, running());
      }
      for (let left = running(); left.length > 0; left = running()) {
        left[0]?.end();
        await settle();
        check(places, all, running());
      }
      expect(all.every(({ state }) => state === "ended" || state === "aborted")).toBe(true);
    }),
    { numRuns: 200 },
  );
});

function check(places: number, all: Work[], running: Work[]): void {
  const waiting = all.filter(({ state }) => state === "waits");
  const holders = (of: (work: Work) => string) => Map.groupBy(running, of);
  const agentOf = ({ organization, agent }: Work) => organization + agent;
  const organizations = holders(({ organization }) => organization);
  const agents = holders(agentOf);
  expect(running.length).toBeLessThanOrEqual(places);
  for (const held of organizations.values()) expect(held.length).toBeLessThanOrEqual(Math.max(1, places - 1));
  for (const held of agents.values()) expect(held.length).toBeLessThanOrEqual(Math.max(1, places - 2));
  const free = places - running.length;
  const newOrganizations = waiting.filter(({ organization }) => !organizations.has(organization));
  const newAgents = waiting.filter((work) => !agents.has(agentOf(work)));
  if (free >= 1) expect(newOrganizations).toEqual([]);
  if (free >= 2) expect(newAgents).toEqual([]);
  if (free >= 3) expect(waiting).toEqual([]);
  for (const work of Map.groupBy(all, agentOf).values()) {
    const firstWaiting = work.findIndex(({ state }) => state === "waits");
    if (firstWaiting >= 0) expect(work.slice(firstWaiting).some(({ state }) => state === "runs")).toBe(false);
  }
}
