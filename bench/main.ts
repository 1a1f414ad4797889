import { rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { Argument, Command } from "commander";
import { logging } from "../src/log.ts";
import { measureAgainst } from "./against.ts";
import { measureAws } from "./aws.ts";
import { measureBundles } from "./bundles.ts";
import { consoleProblem, measureConsole } from "./console.ts";
import { measureNeighbours } from "./neighbours.ts";
import { measureRates } from "./rates.ts";
import { dataDirs } from "./servers.ts";
import { measureStartup } from "./startup.ts";
import { formatSummary, formatTable, isMet, type Row } from "./table.ts";
import { measureStreams } from "./streams.ts";

interface Section {
  name: string;
  title: string;
  measure: (quick: boolean) => Promise<Row[]>;
  /** Whether the command fails when a target is missed. Only where the machine's load makes no difference. */
  isBudget?: boolean;
  /** Why the section cannot be measured on this machine. */
  problem?: () => string | undefined;
}

const ratesRounds = (quick: boolean) => (quick ? { rounds: 5, milliseconds: 200 } : { rounds: 15, milliseconds: 500 });

const sections: Section[] = [
  {
    name: "rates",
    title: "Latency and throughput of one process",
    measure: (quick) => measureRates(ratesRounds(quick)),
  },
  {
    name: "streams",
    title: "Answers that are streamed; floor: a fetch that joins the texts of the same events, polls without them",
    measure: (quick) => measureStreams({ rounds: quick ? 1 : 3 }),
  },
  { name: "startup", title: "Start", measure: (quick) => measureStartup({ rounds: quick ? 3 : 11 }) },
  {
    name: "neighbours",
    title: "What a tenant notices while another one attacks",
    measure(quick) {
      const { earlier, attack: only } = program.opts<{ earlier?: string; attack?: string }>();
      return measureNeighbours({ seconds: quick ? 3 : 10, earlier, only });
    },
  },
  {
    name: "bundles",
    title: "Lambda bundles: size, and time to load in a fresh process",
    measure: (quick) => measureBundles({ samples: quick ? 3 : 15 }),
  },
  {
    name: "aws",
    title: "Calls of AWS in sequence and units of the table, against budgets; start of functions, floor: that of fail",
    measure: (quick) => measureAws({ samples: quick ? 5 : 15 }),
    isBudget: true,
  },
  {
    name: "console",
    title: "Web application in Chromium, with a run of 5,000 records; floor: an empty scroller in the same page",
    measure: (quick) => measureConsole({ rounds: quick ? 2 : 5 }),
    problem: consoleProblem,
  },
];

process.on("exit", () => {
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true });
});

logging.level = "error"; // of the code that runs in this process

const program = new Command("bench")
  .usage("[options] [sections...]")
  .description("Measure speed and memory. Each figure is compared with a floor that is measured in the same run.")
  .option("--quick", "measure fewer and shorter rounds", false)
  .option("--earlier <FOLDER>", "neighbours: attack the service of this checkout, too, as the floor")
  .option("--attack <TEXT>", "neighbours: only the attacks whose name has this text");
const width = Math.max(...sections.map(({ name }) => name.length));
program.addHelpText(
  "after",
  `\nSections:\n${sections.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`).join("\n")}`,
);
const isQuick = (): boolean => program.opts<{ quick: boolean }>().quick;

program
  .command("sections", { isDefault: true })
  .description("measure these sections (default: all)")
  .addArgument(new Argument("[sections...]").choices(sections.map(({ name }) => name)))
  .action(async (named: string[]) => {
    printMachine();
    const chosen = sections.filter(({ name }) => named.length === 0 || named.includes(name));
    const all: Row[] = [];
    for (const { name, title, measure, problem, isBudget } of chosen) {
      const reason = problem?.();
      if (reason === undefined) {
        const rows = await measure(isQuick());
        console.log(formatTable(title, rows));
        all.push(...rows);
        if (isBudget === true && rows.some((row) => isMet(row) === false)) process.exitCode = 1;
      } else if (named.includes(name)) {
        program.error(`bench: ${reason}`);
      } else {
        console.log(`\n${title}\nNot measured: ${reason}`);
      }
    }
    console.log(formatSummary(all));
  });

program
  .command("against")
  .description("compare the latencies and rates of this checkout with those of an earlier commit")
  .argument("<COMMIT>", "commit, tag or branch; it is built in a temporary worktree")
  .action(async (commit: string) => {
    printMachine();
    const rows = await measureAgainst(commit, ratesRounds(isQuick()));
    console.log(formatTable(`This checkout against ${commit}`, rows, [commit.slice(0, 12), "now"]));
    console.log(formatSummary(rows));
  });

await program.parseAsync();

function printMachine(): void {
  const load = loadavg()[0] ?? 0;
  console.log(`Node ${process.versions.node} on ${availableParallelism()} × ${cpus()[0]?.model}`);
  console.log("Each value is the median of its rounds. The rounds of both sides alternate.");
  if (load > availableParallelism() / 2) {
    console.log(`The machine is busy (load ${load.toFixed(1)}): compare only processor times.`);
  }
}
