import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { Command } from "commander";
import { commandLine, commandPrefix } from "../../src/command-line.ts";
import { CliError, consoleIo, runProgram } from "../cli.ts";
import { type DemoProgress, type DemoResult, runDemo } from "./run-demo.ts";
import { runTrialDemo } from "./run-trial-demo.ts";
import { stepCount } from "./script.ts";
import { requireFound, trialJson, trialReport } from "./trial-report.ts";

interface DemoOptions {
  trial?: true;
  once?: true;
  delay?: string;
  json?: true;
}

/** Runs `npm run demo`. Resolves with the exit code, after Ctrl-C unless `--once` is given. */
export async function main(argv: string[]): Promise<number> {
  const ends: (() => Promise<void>)[] = [];
  const keep = (end: () => Promise<void>): void => void ends.unshift(end);
  const interrupted = Promise.withResolvers<void>();
  // One Ctrl-C arrives twice: from the terminal, and forwarded by npm.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupted.resolve());
  const program = new Command(commandPrefix("demo"))
    .description(
      `Start a service and a run of ${stepCount} steps, kill the service twice with SIGKILL, and show what was repeated and lost.`,
    )
    .option("--trial", "instead, record ten runs and try a draft that breaks two of them")
    .option("--once", "end after the run, instead of keeping the service for its timeline")
    .option("--delay <MS>", "milliseconds of each model call (default: 400, with --trial 20)")
    .option("--json", "print one line of JSON at the end of the run, for programs")
    .action(async ({ trial, once, json, delay = trial ? "20" : "400" }: DemoOptions) => {
      if (!/^[1-9]\d{0,3}$|^10000$/.test(delay)) {
        throw new CliError(`--delay is ${JSON.stringify(delay)}; expected a whole number from 1 to 10000`);
      }
      const settings = { callMilliseconds: Number(delay) };
      const dataDir = mkdtempSync(join(tmpdir(), "agent-run-demo-"));
      keep(async () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
      if (trial) {
        const onPart = (part: string): void => void (json || console.log(`  ${part} …`));
        const found = await Promise.race([runTrialDemo({ ...settings, dataDir }, onPart, keep), interrupted.promise]);
        if (!found) return;
        console.log(json ? JSON.stringify(trialJson(found)) : trialReport(found, once === true));
        requireFound(found);
        if (!once) await interrupted.promise;
        return;
      }
      const result = await Promise.race([
        runDemo({ ...settings, dataDir }, json ? silent : progress, keep),
        interrupted.promise,
      ]);
      if (!result) return;
      console.log(json ? JSON.stringify(jsonOf(result)) : report(result, once === true));
      if (result.status !== "finished") throw new CliError(`the run ended with the status ${result.status}`);
      if (!once) await interrupted.promise;
    });
  try {
    return await runProgram(program, argv, consoleIo, { name: commandLine("demo") });
  } finally {
    for (const end of ends) await end().catch(() => {});
  }
}

const silent: DemoProgress = { started() {}, step() {}, killed() {} };

const progress: DemoProgress = {
  started({ pid, milliseconds, baseUrl }) {
    console.log(`  ${styleText("green", "start")}    process ${pid} at ${baseUrl}, ready after ${milliseconds} ms`);
  },
  step(step, tools) {
    const names = [...new Set(tools)].map((name) => {
      const count = tools.filter((tool) => tool === name).length;
      return count > 1 ? `${name} × ${count}` : name;
    });
    console.log(`  step ${String(step).padEnd(3)} ${names.join(", ") || "answer"}`);
  },
  killed({ pid, duringStep }) {
    console.log(`  ${styleText("red", "SIGKILL")}  process ${pid}, during the model call of step ${duringStep}`);
  },
};

function report(result: DemoResult, once: boolean): string {
  const { status, steps, repeatedSteps, lostEvents, modelCallsReceived, modelCallsPaidTwice, seconds, output } = result;
  const rows: [string, string | number][] = [
    ["Steps done", `${steps} of ${stepCount}, ${status} after ${seconds.toFixed(1)} s`],
    ["Steps repeated", `${repeatedSteps.length}${repeatedSteps.length > 0 ? ` (${repeatedSteps.join(", ")})` : ""}`],
    ["Recorded events lost", lostEvents],
    ["Model calls received", modelCallsReceived],
    ["Model calls paid twice", modelCallsPaidTwice],
  ];
  const lines = [
    "",
    ...rows.map(([name, value]) => `${name.padEnd(24)}${value}`),
    "",
    ...output
      .trimEnd()
      .split("\n")
      .map((line) => styleText("dim", line)),
    "",
    ...(once
      ? []
      : [`Timeline  ${styleText("cyan", timelineOf(result))}`, "Ctrl-C stops the service and deletes its data."]),
  ];
  return lines.map((line) => (line === "" ? "" : `  ${line}`)).join("\n");
}

function jsonOf(result: DemoResult) {
  return {
    run_id: result.runId,
    status: result.status,
    steps: result.steps,
    repeated_steps: result.repeatedSteps,
    lost_events: result.lostEvents,
    model_calls_received: result.modelCallsReceived,
    model_calls_paid_twice: result.modelCallsPaidTwice,
    kills: result.kills.map(({ duringStep, recordedSteps, downMilliseconds }) => ({
      during_step: duringStep,
      recorded_steps: recordedSteps,
      down_milliseconds: downMilliseconds,
    })),
    seconds: Number(result.seconds.toFixed(1)),
    output: result.output,
    timeline_url: timelineOf(result),
  };
}

/** The run in the console, with the token that signs in. */
function timelineOf({ runId, service }: DemoResult): string {
  const url = new URL(service.consoleUrl);
  url.pathname = `/console/runs/${runId}`;
  return url.href;
}
