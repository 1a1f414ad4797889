import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { findRun } from "../../src/runs/find-run.ts";
import { eventsOf } from "../../src/runs/list-events.ts";
import { openLocalPlatform } from "../../src/platform/local/index.ts";
import type { RunEvent } from "../../src/runs/types.ts";
import { CliError } from "../cli.ts";
import { startModelServer } from "./model-server.ts";
import { orders, task } from "./script.ts";
import { createRun, type DemoService, startService } from "./service.ts";

/** The service is killed while the model works on these steps. */
const killedDuring = [5, 10];
const pollMilliseconds = 50;
const maxSeconds = 120;

export interface Kill {
  duringStep: number;
  pid: number;
  /** Recorded steps at the kill, as the data directory has them. */
  recordedSteps: number;
  /** Milliseconds from the kill until the next process accepted requests. */
  downMilliseconds: number;
}

export interface DemoResult {
  runId: string;
  status: string;
  steps: number;
  output: string;
  kills: Kill[];
  /** Steps whose model call was sent more than once. */
  repeatedSteps: number[];
  /** Recorded events that were missing or different at the end. */
  lostEvents: number;
  modelCallsReceived: number;
  /** Received, but not recorded: a provider charges for them, and they are made again. */
  modelCallsPaidTwice: number;
  seconds: number;
  /** The service that finished the run. */
  service: DemoService;
}

export interface DemoSettings {
  dataDir: string;
  /** Duration of each model call. */
  callMilliseconds: number;
}

/** What the demo does, as it happens. */
export interface DemoProgress {
  started: (service: DemoService) => void;
  step: (step: number, tools: string[]) => void;
  killed: (kill: Omit<Kill, "downMilliseconds">) => void;
}

/**
 * Starts a service and a run, kills the service twice with SIGKILL while the model works, and waits for the end of the run.
 * `keep` receives what has to be ended, in any case.
 */
export async function runDemo(
  { dataDir, callMilliseconds }: DemoSettings,
  progress: DemoProgress,
  keep: (end: () => Promise<void>) => void,
): Promise<DemoResult> {
  const toKill = new Set(killedDuring);
  const wanted = Promise.withResolvers<number>();
  let onKill = wanted.resolve;
  const model = await startModelServer(callMilliseconds, (step) => {
    if (toKill.delete(step)) setTimeout(() => onKill(step), callMilliseconds / 2);
  });
  keep(async () => model.close());
  const start = (port: number): Promise<DemoService> => startService({ dataDir, modelUrl: model.baseUrl, port }, keep);
  let service = await start(0);
  progress.started(service);
  const began = performance.now();
  const runId = await createRun(service, { text: task, files: orders });

  const platform = openLocalPlatform({ dataDir });
  keep(async () => platform.close());
  const eventsNow = async (): Promise<RunEvent[]> => {
    const events: RunEvent[] = [];
    for await (const event of eventsOf(platform, runId)) events.push(event);
    return events;
  };
  const recorded: RunEvent[][] = [];
  const kills: Kill[] = [];
  let next = wanted.promise;
  for (let shown = 0; ;) {
    const step = await Promise.race([next, sleep(pollMilliseconds)]);
    if (step !== undefined) {
      const killedAt = performance.now();
      const { pid } = service;
      await service.end("SIGKILL");
      const before = await eventsNow();
      recorded.push(before);
      shown = showSteps(before, shown, progress);
      const kill = { duringStep: step, pid, recordedSteps: answersIn(before).length };
      progress.killed(kill);
      const again = Promise.withResolvers<number>();
      [next, onKill] = [again.promise, again.resolve];
      service = await start(Number(new URL(service.baseUrl).port));
      kills.push({ ...kill, downMilliseconds: Math.round(performance.now() - killedAt) });
      progress.started(service);
    }
    shown = showSteps(await eventsNow(), shown, progress);
    if ((await platform.runs.status(runId)) !== "running") break;
    if (performance.now() - began > maxSeconds * 1_000) throw new CliError(`the run took more than ${maxSeconds} s`);
  }

  const [{ run, transcript }, events] = await Promise.all([findRun(platform.runs, runId), eventsNow()]);
  const received = [...model.received.values()].reduce((sum, count) => sum + count, 0);
  return {
    runId,
    status: run.status,
    steps: answersIn(events).length,
    output: transcript.at(-1)?.text ?? "",
    kills,
    repeatedSteps: [...model.received].filter(([, count]) => count > 1).map(([step]) => step),
    lostEvents: recorded.flat().filter((event) => !events.some((one) => isDeepStrictEqual(one, event))).length,
    modelCallsReceived: received,
    modelCallsPaidTwice: received - answersIn(events).length,
    seconds: (performance.now() - began) / 1_000,
    service,
  };
}

function answersIn(events: RunEvent[]) {
  return events.flatMap((event) => ("part" in event && event.part === "answer" ? [event] : []));
}

/** Shows the steps after the first `shown`. Returns how many are shown now. */
function showSteps(events: RunEvent[], shown: number, { step }: DemoProgress): number {
  const answers = answersIn(events);
  for (const { step: number, answer } of answers.slice(shown)) {
    step(
      number,
      answer.toolCalls.map(({ name }) => name),
    );
  }
  return Math.max(shown, answers.length);
}
