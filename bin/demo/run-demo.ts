import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { findRun } from "../../src/runs/read/find-run.ts";
import { eventsOf } from "../../src/runs/read/list-events.ts";
import { type LocalPlatform, openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import type { RunEvent } from "../../src/runs/run-types.ts";
import { CliError } from "../cli.ts";
import { startModelServer } from "./model-server.ts";
import { sampleOrders, scriptedAnswer, task } from "./script.ts";
import { createDemoRun, type DemoService, startService } from "./service.ts";

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
  killed: (kill: Pick<Kill, "pid" | "duringStep">) => void;
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
  const due: number[] = [];
  const toKill = new Set(killedDuring);
  const model = await startModelServer({
    delay: callMilliseconds,
    answer: scriptedAnswer,
    onRequest: (step) => {
      if (toKill.delete(step)) setTimeout(() => due.push(step), callMilliseconds / 2);
    },
  });
  keep(async () => model.close());
  const start = async (port: number): Promise<DemoService> => {
    const started = await startService({ dataDir, modelUrl: model.baseUrl, port }, keep);
    progress.started(started);
    return started;
  };
  let service = await start(0);
  const began = performance.now();
  const runId = await createDemoRun(service, { text: task, files: sampleOrders });

  const platform = openLocalPlatform({ dataDir });
  keep(async () => platform.close());
  const recorded: RunEvent[] = [];
  const kills: Kill[] = [];
  for (let shown = 0; ;) {
    const duringStep = due.shift();
    if (duringStep !== undefined) {
      const { pid, baseUrl } = service;
      const killedAt = performance.now();
      await service.end("SIGKILL");
      const events = await eventsNow(platform, runId);
      recorded.push(...events);
      shown = showSteps(events, shown, progress);
      progress.killed({ pid, duringStep });
      service = await start(Number(new URL(baseUrl).port));
      const downMilliseconds = Math.round(performance.now() - killedAt);
      kills.push({ pid, duringStep, recordedSteps: answersIn(events).length, downMilliseconds });
    }
    shown = showSteps(await eventsNow(platform, runId), shown, progress);
    if ((await platform.runs.status(runId)) !== "running") break;
    if (performance.now() - began > maxSeconds * 1_000) throw new CliError(`the run took more than ${maxSeconds} s`);
    await sleep(pollMilliseconds);
  }
  const seconds = (performance.now() - began) / 1_000;
  return { runId, kills, seconds, service, ...(await countsOf(platform, runId, recorded, model.received)) };
}

/** What the run has at its end, compared with what was recorded at the kills and with what the model server received. */
async function countsOf(platform: LocalPlatform, runId: string, recorded: RunEvent[], received: Map<number, number>) {
  const { run, transcript } = await findRun(platform.runs, runId);
  const events = await eventsNow(platform, runId);
  const steps = answersIn(events).length;
  const modelCallsReceived = [...received.values()].reduce((sum, count) => sum + count, 0);
  return {
    status: run.status,
    steps,
    output: transcript.at(-1)?.text ?? "",
    repeatedSteps: [...received].flatMap(([step, count]) => (count > 1 ? [step] : [])),
    lostEvents: recorded.filter((event) => !events.some((one) => isDeepStrictEqual(one, event))).length,
    modelCallsReceived,
    modelCallsPaidTwice: modelCallsReceived - steps,
  };
}

async function eventsNow(platform: LocalPlatform, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of eventsOf(platform, runId)) events.push(event);
  return events;
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
