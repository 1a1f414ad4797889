import { describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../../src/errors.ts";
import { advance, type AdvanceDeps, RetryLater } from "../../../src/workflow/advance.ts";
import { fail } from "../../../src/workflow/fail.ts";
import type { Fault } from "../../support/fake-aws/fake-dynamodb.ts";
import { awsHome } from "../../support/fake-aws/platform.ts";
import { newRun, outputTo, putAgent, scriptedModel } from "./scripted-runs.ts";

const steps = 12;
/** `crash`: the process is gone from then on, so that even its lease stays behind. */
type Trouble = Fault | "crash-before" | "crash-after";

interface Outcome {
  status: string;
  transcript: string[];
  modelCalls: number;
  recordedSteps: number;
  storeCalls: number;
  invocations: number;
}

/** A 12-step run, driven as the state machine does it, with trouble at one of the clients' calls. */
async function run(trouble?: { at: number; kind: Trouble; firstAttemptOnly: boolean }): Promise<Outcome> {
  let [armed, crashed, first] = [false, false, 0];
  const home = awsHome((call, attempt) => {
    if (crashed) return "refused"; // nothing of a process that is gone gets through, and it does not wait either
    if (!armed || !trouble || call !== first + trouble.at) return undefined;
    if (trouble.kind.startsWith("crash")) {
      crashed = true;
      return trouble.kind === "crash-before" ? "lost-before" : "lost-after";
    }
    return trouble.firstAttemptOnly && attempt > 1 ? undefined : (trouble.kind as Fault);
  });
  let now = 1_763_000_000_000;
  await putAgent(home);
  await newRun(home, "R", now, "Go");
  armed = true;
  first = home.calls();

  const { model, calls } = scriptedModel(steps);
  const deps: AdvanceDeps = {
    ...home,
    now: () => (now += 5),
    secretOf: async () => undefined,
    openModel: async () => ({ model, name: "m", provider: "p" }),
  };
  const turn = { runId: "R", turn: 1 };
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
  }

  /** The last task is tried again whatever happens. */
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
  const state = await home.runs.load("R");
  return {
    status: state?.run.status ?? "none",
    transcript: state?.transcript.map(({ text }) => text) ?? [],
    modelCalls: calls.length,
    recordedSteps: state?.run.used?.steps ?? 0,
    storeCalls: home.calls() - first,
    invocations,
  };
}

const whole = { status: "finished", transcript: ["Go", outputTo("Go")], recordedSteps: steps + 1 };

describe("trouble at each call of the clients of AWS, in a 12-step run", async () => {
  const { storeCalls, ...untroubled } = await run();
  const places = Array.from({ length: storeCalls - 1 }, (_, n) => n + 1);

  test("there are many places, and without trouble no call is in vain", () => {
    expect(untroubled).toEqual({ ...whole, modelCalls: steps + 1, invocations: 1 });
    expect(storeCalls).toBeGreaterThan(40);
  });

  test.each<Trouble>(["throttled", "lost-before", "lost-after", "crash-before", "crash-after"])(
    "%s: the run finishes, and pays for at most one call more",
    { timeout: 120_000 },
    async (kind) => {
      let [again, invocations] = [0, 0];
      for (const at of places) {
        for (const firstAttemptOnly of kind.startsWith("crash") ? [false] : [true, false]) {
          const outcome = await run({ at, kind, firstAttemptOnly });
          expect({ at, ...outcome }).toMatchObject({ at, ...whole });
          // An answer that could not be recorded at once is kept until it can be; only a crash loses it.
          expect(outcome.modelCalls).toBeLessThanOrEqual(steps + 1 + (kind.startsWith("crash") ? 1 : 0));
          if (firstAttemptOnly) expect(outcome).toMatchObject({ modelCalls: steps + 1, invocations: 1 });
          again += outcome.modelCalls - steps - 1;
          invocations = Math.max(invocations, outcome.invocations);
        }
      }
      console.log(
        `${kind} at ${places.length} places: all finished, ${again} model calls made again, ` +
          `at most ${invocations} invocations of one turn`,
      );
    },
  );

  test("refused, for good: the run ends with a reason or was not in need of the call, and never stays running", async () => {
    const ends: Record<string, number> = {};
    for (const at of places) {
      const outcome = await run({ at, kind: "refused", firstAttemptOnly: false });
      ends[outcome.status] = (ends[outcome.status] ?? 0) + 1;
      expect({ at, ...outcome }).toMatchObject({ at, status: expect.stringMatching(/^(finished|technical_error)$/) });
      expect(outcome.modelCalls).toBeLessThanOrEqual(steps + 1);
    }
    console.log(`refused at ${places.length} places:`, ends);
  });
});

test("what a store's outage is called tells the workflow to wait", async () => {
  const home = awsHome(() => "throttled");
  await expect(home.runs.load("R")).rejects.toThrow(StoreUnavailable);
});
