import { rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { logging } from "../src/log.ts";
import { measureBundles } from "./bundles.ts";
import { measureCalls } from "./calls.ts";
import { measureFirstRequests } from "./first-request.ts";
import { measureModelCalls } from "./model-calls.ts";
import { measureRates } from "./rates.ts";
import { measureResumes } from "./resumes.ts";
import { measureSandbox } from "./sandbox.ts";
import { dataDirs } from "./servers.ts";
import { measureStartup } from "./startup.ts";
import { measureSteps } from "./steps.ts";
import { formatTable, formatVerdict, type Row } from "./table.ts";
import { measureUpload } from "./upload.ts";

// node bench/main.ts [--quick] [rates] [engine] [upload] [startup] [bundles] [first-request] [calls]: all when none is named.
const { values, positionals } = parseArgs({
  options: { quick: { type: "boolean", default: false } },
  allowPositionals: true,
});

const sections: { name: string; title: string; measure: (quick: boolean) => Promise<Row[]> }[] = [
  {
    name: "rates",
    title: "Latency and throughput of one process",
    measure: (quick) => measureRates(quick ? { rounds: 5, milliseconds: 200 } : { rounds: 15, milliseconds: 500 }),
  },
  {
    name: "engine",
    title:
      "The engine's part of a run; the floor is a bare loop that writes the same records, or a bare call of the model",
    measure: async (quick) => {
      const rounds = quick ? 3 : 9;
      return [
        ...(await measureSteps(rounds)),
        ...(await measureModelCalls(rounds)),
        ...(await measureResumes(rounds)),
        ...(await measureSandbox(rounds)),
      ];
    },
  },
  {
    name: "upload",
    title: "A create with ten files of 1 MiB; the floor only receives the body",
    measure: (quick) => measureUpload({ rounds: quick ? 3 : 7 }),
  },
  {
    name: "startup",
    title: "Start",
    measure: (quick) => measureStartup({ rounds: quick ? 3 : 11 }),
  },
  {
    name: "bundles",
    title: "Lambda functions, as they are bundled for AWS",
    measure: (quick) => measureBundles({ samples: quick ? 3 : 15 }),
  },
  {
    name: "first-request",
    title: "Lambda functions in a fresh process: start and first request, AWS on this machine",
    measure: (quick) => measureFirstRequests({ samples: quick ? 3 : 11 }),
  },
  {
    name: "calls",
    title: "Calls to AWS, counted",
    measure: () => measureCalls(),
  },
];

const unknown = positionals.filter((name) => !sections.some((section) => section.name === name));
if (unknown.length > 0) {
  console.error(`bench: no part named ${unknown.join(", ")}; there are ${sections.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}

process.on("exit", () => {
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true });
});

logging.level = "error"; // of what is measured in this process

const load = loadavg()[0] ?? 0;
console.log(`Node ${process.versions.node} on ${availableParallelism()} × ${cpus()[0]?.model}`);
console.log("Floor and service take turns in the same run; every value is the median of its rounds.");
if (load > availableParallelism() / 2) {
  console.log(`Others are using this machine (load ${load.toFixed(1)}): do not read much into a single run.`);
}
const all: Row[] = [];
for (const { name, title, measure } of sections) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const rows = await measure(values.quick);
  console.log(formatTable(title, rows));
  all.push(...rows);
}
console.log(formatVerdict(all));
