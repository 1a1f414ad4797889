#!/usr/bin/env node
import process from "node:process";

// The command of the package: `npx agent-run-service` starts the service, `npx agent-run-service admin …` operates it.
// It imports no other file before it knows that Node.js is new enough.
const programs: Record<string, () => Promise<unknown>> = {
  admin: () => import("./admin.ts"),
  console: () => import("./console.ts"),
  demo: () => import("./demo.ts"),
};
const onlyInClone = new Set(["bootstrap", "conformance", "deploy", "synth"]);

// `help admin run start` is help of `admin`, and `help` alone that of the service.
const [, , asked = "", next = ""] = process.argv;
if (asked === "help" && Object.hasOwn(programs, next)) process.argv.splice(2, 2, next, "help");
const [, , first = ""] = process.argv;
const program = Object.hasOwn(programs, first) ? programs[first] : undefined;
const problem = findProblem();
if (problem === undefined) {
  if (program) process.argv.splice(2, 1);
  endWithShell();
  await (program ?? (() => import("./local.ts")))();
} else {
  console.error(`agent-run-service: ${problem}`);
  process.exitCode = 1;
}

function findProblem(): string | undefined {
  if (Number.parseInt(process.versions.node, 10) < 24) {
    return `Node 24 or newer is required; this is Node ${process.versions.node}. Install it from https://nodejs.org/`;
  }
  if (program || first === "" || first === "help" || first.startsWith("-")) return undefined;
  if (onlyInClone.has(first)) {
    return `the package does not contain '${first}'. To deploy to AWS, or to test a deployment, clone the repository and run: npm run ${first}`;
  }
  return `unknown command ${JSON.stringify(first)}; commands are ${Object.keys(programs).join(", ")}. Without a command, the service starts (see --help)`;
}

/** npx runs the command in a shell. dash, the `sh` of Debian, dies of SIGTERM and does not pass it on. */
function endWithShell(): void {
  if (process.env["npm_command"] !== "exec") return;
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) process.kill(process.pid, "SIGTERM");
  }, 500).unref();
}
