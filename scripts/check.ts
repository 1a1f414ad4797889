import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

// npm run check:quick: what a change most often fails, in under 90 seconds on two cores.

const root = fileURLToPath(new URL("..", import.meta.url));

/** The longest first: as many run at a time as there are cores. */
const checks: [subject: string, command: string, remedy: string, shown?: "always"][] = [
  // TypeScript 7 checks the types of all folders in this process: 26 processor seconds. oxlint and three tsc took 66.
  ["lint and types", "npm run --silent lint", "correct the lines above"],
  [
    "sizes of bundles",
    "node scripts/bundle-sizes.ts",
    "load less, or record the sizes of a release with --record",
    "always",
  ],
  ["generated files", "node scripts/generate.ts --check", "npm run generate"],
  ["unused code", "knip", "remove what is not used"],
  ["format", "oxfmt --check .", "npx oxfmt"],
];

interface Ended {
  status: number | null;
  output: string;
}

function run(command: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: root, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()));
    child.once("close", (status) => resolve({ status, output }));
  });
}

const waiting = [...checks];
const failed: string[] = [];

async function work(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [subject, command, remedy, shown] = next;
    const started = Date.now();
    const { status, output } = await run(command);
    console.log(`${status === 0 ? "ok  " : "FAIL"} ${subject} (${Math.round((Date.now() - started) / 1_000)} s)`);
    if (status !== 0 || shown) console.log(output.trimEnd());
    if (status === 0) continue;
    console.log(`${command}: ended with ${status}. To correct it: ${remedy}.`);
    failed.push(subject);
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
if (failed.length > 0) {
  console.log(`Failed: ${failed.join(", ")}.`);
  process.exitCode = 1;
}
