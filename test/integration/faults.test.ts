import { describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/errors.ts";
import type { Stores } from "../../src/runs/ports.ts";
import { listRunFiles, readRunFile } from "../../src/runs/files/read-files.ts";
import { advance, type AdvanceDeps } from "../../src/workflow/advance.ts";
import { RetryLater } from "../../src/workflow/retry-later.ts";
import { fail } from "../../src/workflow/fail.ts";
import type { Fault } from "../support/fake-aws/client.ts";
import { deliveryViolations } from "../support/delivery-rules.ts";
import { violations } from "../support/event-rules.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import { newRun, outputTo, putAgent, scriptedModel } from "../support/scripted-runs.ts";

/** A fault at one client call. `crash`: the process ends there, so its lease is not released either. */
type InjectedFault = Fault | "crash-before" | "crash-after";

interface Outcome {
  status: string;
  transcript: string[];
  /** Names and texts of the run's files. A recorded file that is missing in the store is an error. */
  files: string[];
  modelCalls: number;
  recordedSteps: number;
  storeCalls: number;
  invocations: number;
  /** Of the rules for events and deliveries, after each invocation. */
  violations: string[];
}

interface FaultPlan {
  /** The client call, counted from the creation of the run. */
  at: number;
  kind: InjectedFault;
  /** The client's own retry succeeds. */
  firstAttemptOnly: boolean;
}

/** Drives a run as the state machine does, with a fault at one of the client calls. */
async function run(steps: number, fault?: FaultPlan): Promise<Outcome> {
  let [armed, crashed, first] = [false, false, 0];
  const stores = fakeAwsStores((call, attempt) => {
    if (crashed) return "refused"; // a process that ended makes no call; unlike a timeout, this fails at once
    if (!armed || !fault || call !== first + fault.at) return undefined;
    if (fault.kind.startsWith("crash")) {
      crashed = true;
      return fault.kind === "crash-before" ? "lost-before" : "lost-after";
    }
    return fault.firstAttemptOnly && attempt > 1 ? undefined : (fault.kind as Fault);
  });
  let now = 1_763_000_000_000;
  await putAgent(stores);
  await newRun(stores, "R", now, "Go");
  armed = true;
  first = stores.calls();

  const { model, calls } = scriptedModel(steps);
  const deps: AdvanceDeps = {
    ...stores,
    now: () => (now += 5),
    secretOf: async () => undefined,
    openModel: async () => ({ model, name: "m", provider: "p" }),
  };
  const turn = { runId: "R", turn: 1 };
  const wrong: string[] = [];
  let invocations = 0;
  for (let done = false; !done && invocations < 40;) {
    invocations++;
    crashed = false;
    try {
      ({ done } = await advance(deps, turn, {
        signal: new AbortController().signal,
        deadline: Infinity,
        leaseWait: 0,
      }));
    } catch (error) {
      if (!(error instanceof RetryLater) && !crashed) {
        await failed(error);
        done = true;
      }
    }
    now += 10_000;
    await checkEvents();
  }

  /** Its calls are not counted and have no fault. */
  async function checkEvents(): Promise<void> {
    const before = stores.calls();
    [armed, crashed] = [false, false];
    wrong.push(...(await violations(stores.runs, "R")), ...(await deliveryViolations(stores, "R")));
    armed = true;
    first += stores.calls() - before;
  }

  /** The state machine retries its last task after any error. */
  async function failed(error: unknown): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fail(deps, turn, { error: (error as Error).name, cause: String(error) });
      } catch (again) {
        if (attempt === 10) throw again;
      }
    }
  }

  armed = false;
  const state = await stores.runs.load("R");
  return {
    status: state?.run.status ?? "none",
    transcript: state?.transcript.map(({ text }) => text) ?? [],
    files: await filesIn(stores),
    modelCalls: calls.length,
    recordedSteps: state?.run.used?.steps ?? 0,
    storeCalls: stores.calls() - first,
    invocations,
    violations: wrong,
  };
}

async function filesIn(stores: Stores): Promise<string[]> {
  const { files } = await listRunFiles(stores, "R");
  const contents = await Promise.all(files.map(({ name }) => readRunFile(stores, "R", name)));
  return contents.map(({ file, content }) => `${file.name}: ${Buffer.from(content).toString()}`);
}

const steps = 3;

const files = Array.from({ length: steps }, (_, index) => `${index + 1}.txt: Go`).toSorted();
const complete = {
  files,
  status: "finished",
  transcript: ["Go", outputTo("Go")],
  recordedSteps: steps + 1,
  violations: [],
};

describe(`a fault at each client call of a ${steps}-step run on AWS`, async () => {
  const { storeCalls, ...faultless } = await run(steps);
  const places = Array.from({ length: storeCalls - 1 }, (_, n) => n + 1);

  test("without a fault the run needs one invocation and no extra model call", () => {
    expect(faultless).toEqual({ ...complete, modelCalls: steps + 1, invocations: 1 });
    expect(storeCalls).toBeGreaterThan(3 * steps + 4);
  });

  test.each<InjectedFault>(["throttled", "lost-before", "lost-after", "crash-before", "crash-after"])(
    "%s: the run finishes with at most one extra model call",
    async (kind) => {
      let [extra, invocations] = [0, 0];
      for (const at of places) {
        for (const firstAttemptOnly of kind.startsWith("crash") ? [false] : [true, false]) {
          const outcome = await run(steps, { at, kind, firstAttemptOnly });
          expect({ at, ...outcome }).toMatchObject({ at, ...complete });
          // An answer that could not be recorded is kept until it can be. It is lost in a crash, and if it is unknown whether the
          // results that it read were recorded: the run is then loaded again.
          const losesAnswer = kind.startsWith("crash") || kind === "lost-after";
          expect(outcome.modelCalls).toBeLessThanOrEqual(steps + 1 + (losesAnswer ? 1 : 0));
          if (firstAttemptOnly) expect(outcome).toMatchObject({ modelCalls: steps + 1, invocations: 1 });
          extra += outcome.modelCalls - steps - 1;
          invocations = Math.max(invocations, outcome.invocations);
        }
      }
      console.log(
        `${kind} at ${places.length} calls: all runs finished, ${extra} extra model calls, ` +
          `at most ${invocations} invocations a turn`,
      );
    },
  );

  test("refused: the run finishes or ends with technical_error, and never stays running", async () => {
    const ends: Record<string, number> = {};
    for (const at of places) {
      const outcome = await run(steps, { at, kind: "refused", firstAttemptOnly: false });
      ends[outcome.status] = (ends[outcome.status] ?? 0) + 1;
      const status = expect.stringMatching(/^(finished|technical_error)$/);
      expect({ at, ...outcome }).toMatchObject({ at, status, violations: [] });
      expect(outcome.modelCalls).toBeLessThanOrEqual(steps + 1);
    }
    console.log(`refused at ${places.length} calls:`, ends);
  });
});

test("a throttled store rejects with the error that the workflow retries", async () => {
  const stores = fakeAwsStores(() => "throttled");
  await expect(stores.runs.load("R")).rejects.toThrow(StoreUnavailable);
});
