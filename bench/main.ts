import { rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { logging } from "../src/log.ts";
import { measureBundles } from "./bundles.ts";
import { consoleProblem, measureConsole } from "./console.ts";
import { measureLinux } from "./linux.ts";
import { measureLinuxService } from "./linux-service.ts";
import { measureModelCalls } from "./model-calls.ts";
import { measureQuotas } from "./quotas.ts";
import { measureRates } from "./rates.ts";
import { measureSandbox } from "./sandbox.ts";
import { dataDirs } from "./servers.ts";
import { measureStartup } from "./startup.ts";
import { measureSteps } from "./steps.ts";
import { formatSummary, formatTable, type Row } from "./table.ts";
import { measureUpload } from "./upload.ts";

// node bench/main.ts [--quick] [rates] [engine] [upload] [quotas] [startup] [linux] [bundles] [console]. Default: all sections.
const { values, positionals } = parseArgs({
  options: { quick: { type: "boolean", default: false } },
  allowPositionals: true,
});
const { quick } = values;

const sections: { name: string; title: string; measure: () => Promise<Row[]> }[] = [
  {
    name: "rates",
    title: "Latency and throughput of one process",
    measure: () => measureRates(quick ? { rounds: 5, milliseconds: 200 } : { rounds: 15, milliseconds: 500 }),
  },
  {
    name: "engine",
    title: "Turn loop, model call and sandbox; floor: a bare loop with the same journal entries, a bare fetch",
    async measure() {
      const rounds = quick ? 3 : 9;
      return [...(await measureSteps(rounds)), ...(await measureModelCalls(rounds)), ...(await measureSandbox(rounds))];
    },
  },
  {
    name: "upload",
    title: "Create with ten files of 1 MiB; floor: only receives the body",
    measure: () => measureUpload({ rounds: quick ? 3 : 7 }),
  },
  {
    name: "quotas",
    title: "A flood of creates on one key; floor: without a quota",
    measure: () => measureQuotas({ seconds: quick ? 3 : 10 }),
  },
  { name: "startup", title: "Start", measure: () => measureStartup({ rounds: quick ? 3 : 11 }) },
  {
    name: "linux",
    title: "Programs in a Linux; floor: the same program outside of the sandbox, or with an empty workspace",
    async measure() {
      const rounds = quick ? 3 : 11;
      return [...(await measureLinux(rounds)), ...(await measureLinuxService({ seconds: quick ? 3 : 10 }))];
    },
  },
  {
    name: "bundles",
    title: "Lambda bundles: size, and time to load in a fresh process",
    measure: () => measureBundles({ samples: quick ? 3 : 15 }),
  },
  {
    name: "console",
    title: "Web application in Chromium, with a run of 5,000 records; floor: an empty scroller in the same page",
    measure: () => measureConsole({ rounds: quick ? 2 : 5 }),
  },
];

const unknown = positionals.filter((name) => !sections.some((section) => section.name === name));
if (unknown.length > 0) {
  const accepted = sections.map(({ name }) => name).join(", ");
  console.error(`bench: unknown section ${unknown.join(", ")}; accepted: ${accepted}`);
  process.exit(1);
}

const problem = consoleProblem();
if (problem !== undefined && positionals.includes("console")) {
  console.error(`bench: ${problem}`);
  process.exit(1);
}

process.on("exit", () => {
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true });
});

logging.level = "error"; // of the code that runs in this process

const load = loadavg()[0] ?? 0;
console.log(`Node ${process.versions.node} on ${availableParallelism()} × ${cpus()[0]?.model}`);
console.log("Each value is the median of its rounds. Rounds of floor and service alternate.");
if (load > availableParallelism() / 2) {
  console.log(`The machine is busy (load ${load.toFixed(1)}): single values are not reliable.`);
}
const all: Row[] = [];
for (const { name, title, measure } of sections) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  if (name === "console" && problem !== undefined) {
    console.log(`\n${title}\nNot measured: ${problem}`);
    continue;
  }
  const rows = await measure();
  console.log(formatTable(title, rows));
  all.push(...rows);
}
console.log(formatSummary(all));
