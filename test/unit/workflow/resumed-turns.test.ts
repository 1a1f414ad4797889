import { afterAll, describe, expect, test } from "vitest";
import type { Stores } from "../../../src/runs/ports.ts";
import { journalOf } from "../../../src/runs/read/list-events.ts";
import { advance, type InvocationBudget } from "../../../src/workflow/advance.ts";
import { violations } from "../../support/event-rules.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { newRun, putAgent, scriptedModel } from "../../support/scripted-runs.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const local = temporaryStores();
afterAll(() => local[Symbol.dispose]());

const list = (id: string) => ({ id, name: "list_files", input: {} });

describe.each<[string, () => Stores]>([
  ["on one machine", () => local],
  ["on AWS", () => fakeAwsStores()],
])("interruptions of turns %s", (_, open) => {
  const stores = open();

  async function started(id: string): Promise<void> {
    if (!(await stores.accounts.findAgent("A"))) await putAgent(stores);
    await newRun(stores, id, Date.now(), "Go");
  }

  /** Advances the turn by three steps, or up to the model call `pauseAt`, whose invocation ends as planned. */
  async function invoke(
    id: string,
    pauseAt = Infinity,
    { release, ...more }: Partial<InvocationBudget> & { release?: string } = {},
  ): Promise<boolean> {
    const pause = new AbortController();
    const { model: scripted, calls } = scriptedModel(3);
    const deps = {
      ...stores,
      now: Date.now,
      ...(release !== undefined && { release }),
      secretOf: async () => undefined,
      openModel: async () => ({
        model: (request: Parameters<typeof scripted>[0]) => {
          if (calls.length + 1 < pauseAt) return scripted(request);
          pause.abort();
          return Promise.reject(pause.signal.reason as Error);
        },
        name: "m",
        provider: "p",
      }),
    };
    const budget = { signal: pause.signal, deadline: Infinity, ...more };
    return (await advance(deps, { runId: id, turn: 1 }, budget)).done;
  }

  const parts = async (id: string): Promise<string[]> => (await journalOf(stores, id)).map(({ part }) => part);
  const resumed = async (id: string) => (await journalOf(stores, id)).filter(({ part }) => part === "resumed");

  /** A worker takes the lease and is not heard of again. It expires a second ago. */
  const kill = (runId: string) =>
    stores.runs.claim({ runId, owner: "killed", now: Date.now() - 46_000, until: Date.now() - 1_000 });

  test("a lease that expired is recorded before the work continues, also before the first answer", async () => {
    await started("first");
    await kill("first");
    expect(await invoke("first", 2)).toBe(false);
    expect(await parts("first")).toEqual(["resumed", "answer", "result"]);
    await kill("first");
    expect(await invoke("first")).toBe(true);
    expect(await resumed("first")).toMatchObject([
      { step: 1, reason: "lease_expired", instance: expect.stringMatching(/^[\da-f-]{36}$/) as string },
      { step: 2, reason: "lease_expired" },
    ]);
    expect(await violations(stores.runs, "first")).toEqual([]);
  });

  test("the first entry of each invocation names the release", async () => {
    await started("release");
    await invoke("release", 2, { release: "1.0.0" });
    await invoke("release", 2, { release: "1.0.0" });
    await invoke("release", Infinity, { release: "1.1.0" });
    const named = (await journalOf(stores, "release")).map(({ part, step, release }) => ({ part, step, release }));
    expect(named).toEqual([
      { part: "answer", step: 1, release: "1.0.0" },
      { part: "result", step: 1 },
      { part: "answer", step: 2, release: "1.0.0" },
      { part: "result", step: 2 },
      { part: "result", step: 2 },
      { part: "answer", step: 3, release: "1.1.0" },
      { part: "result", step: 3 },
      { part: "answer", step: 4 },
    ]);
  });

  test("a restart is recorded once, with the step that continues", async () => {
    await started("restart");
    expect(await invoke("restart", 3)).toBe(false);
    expect(await invoke("restart", 1, { restarted: true })).toBe(false);
    expect(await invoke("restart", Infinity, { restarted: true })).toBe(true);
    const found = await resumed("restart");
    expect(found).toMatchObject([{ turn: 1, step: 3, reason: "restart" }]);
    expect(found[0]).not.toHaveProperty("calls");
  });

  test("calls without a result are named", async () => {
    await started("calls");
    const usage = { inputTokens: 1, outputTokens: 1 };
    const answer = {
      text: "",
      toolCalls: [list("a"), list("b"), list("c")],
      finishReason: "tool-calls",
      usage,
    } as const;
    const result = { callId: "b", name: "list_files", text: "There are no files." };
    const at = { turn: 1, step: 1, at: Date.now() };
    expect(
      await stores.runs.change({
        runId: "calls",
        expect: { status: "running", turn: 1 },
        entries: [
          { ...at, sequence: 2, part: "answer", answer: { ...answer, toolCalls: [...answer.toolCalls] } },
          { ...at, sequence: 3, part: "result", call: 1, result },
        ],
      }),
    ).toBe(true);
    await kill("calls");
    expect(await invoke("calls")).toBe(true);
    expect(await resumed("calls")).toMatchObject([{ step: 1, reason: "lease_expired", calls: [0, 2] }]);
  });

  test("planned pauses and turns that begin after a restart are none", async () => {
    await started("planned");
    expect(await invoke("planned", 2, { restarted: true })).toBe(false);
    expect(await invoke("planned", 2)).toBe(false);
    expect(await invoke("planned")).toBe(true);
    expect(await resumed("planned")).toEqual([]);
  });
});
