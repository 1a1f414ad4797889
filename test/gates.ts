import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

// Slow tests that a change can do without. `.ci/run` asks which: see CONTRIBUTING.md.

const root = fileURLToPath(new URL("..", import.meta.url));

/** Slow tests of code that imports little of the rest. They run when one of their inputs has changed. */
interface Gate {
  name: string;
  /** Test files, as globs. What they import is an input. */
  tests: string[];
  /** Programs and bundles that the tests start, as globs. What they import is an input, too. */
  starts: string[];
  /** Other inputs, as globs. */
  reads: string[];
}

const sandbox = "test/integration/sandbox";
const engines =
  "{attacks,data-tasks,environment,hostile-documents,isolation,javascript,lambda,pdf-pages,python,reading-tasks}";
const linux =
  "{agreement-by-subject,attacks,container,host-attacks,kept,ordinary-folder,output,room,same-folder,single-programs,walls}";

export const gates: Gate[] = [
  {
    name: "programs and documents",
    tests: [`${sandbox}/${engines}.test.ts`, "test/unit/agent/*.slow.test.ts", "test/unit/sandbox/*.slow.test.ts"],
    starts: ["src/sandbox/child.ts", "lambdas/{run-program,read-document}.ts"],
    reads: ["test/fixtures/**"],
  },
  {
    // The floods run in a whole service, all of whose code would be an input. What is not listed does not start programs.
    name: "Linux",
    tests: [
      `${sandbox}/linux/${linux}.test.ts`,
      `${sandbox}/lambda-{attacks,linux}.test.ts`,
      "test/soak/floods.test.ts",
    ],
    starts: ["src/sandbox/child.ts", "lambdas/environment.ts"],
    reads: ["environment/**", "src/platform/aws/container/**", `${sandbox}/linux/**`],
  },
  {
    // What runs in the functions is tested without these: test/integration/releases has two releases over one table.
    name: "deployments of upgrades",
    tests: ["test/deploy/{definitions,upgrade,warm}.test.ts"],
    starts: [
      "bin/{app,deploy}.ts",
      "scripts/restore-items.ts",
      "test/deploy/{app,main,own-app}.ts",
      "lambdas/definitions.ts",
    ],
    reads: ["lambdas/**", "src/platform/aws/**", "src/workflow/**", "cdk.json", "test/deploy/**"],
  },
  {
    // All code of the service would be an input. What is listed records what was acknowledged, and continues it after a start.
    name: "kills and power cuts",
    tests: ["test/soak/{kills,power-cuts}.test.ts"],
    starts: [],
    reads: [
      "src/platform/local/**",
      "src/runs/**",
      "src/operations/**",
      "src/trials/**",
      "src/workflow/**",
      "bin/local/**",
    ],
  },
  {
    name: "generators of clients",
    tests: ["test/clients/generators.test.ts"],
    starts: [],
    reads: ["test/clients/generator-requirements.txt"],
  },
  {
    name: "environment",
    tests: ["test/environment/*.test.ts"],
    starts: ["bin/admin/environment/*.ts"],
    reads: ["bin/admin/environment.ts", "environment/**", "test/environment/**"],
  },
];

/** A change of these opens all gates: dependencies, Node's version, and what runs the tests. */
const always = [
  "package.json",
  "package-lock.json",
  ".nvmrc",
  ".ci/**",
  "vitest.config.ts",
  "test/gates.ts",
  "test/support/*.mjs",
];

/** Names of the gates whose tests `.ci/run` leaves out: lines of the variable `CLOSED_GATES`. */
const closed = (process.env["CLOSED_GATES"] ?? "").split("\n");

/** Globs of the test files that do not run. */
export const skippedTests: string[] = gates.filter(({ name }) => closed.includes(name)).flatMap(({ tests }) => tests);

const listed = (globs: string[]): string[] => globSync(globs, { cwd: root }).map((path) => path.replaceAll("\\", "/"));

/** The files of this project that modules load when they run: by imports, and by `new URL("…", import.meta.url)`. */
async function loadedBy(entries: string[]): Promise<string[]> {
  const found = new Set<string>();
  for (let next = entries; next.length > 0;) {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: next,
      bundle: true,
      format: "esm",
      logLevel: "silent",
      metafile: true,
      outdir: "unused",
      packages: "external",
      platform: "node",
      write: false,
    });
    const added = Object.keys(metafile.inputs).filter((path) => !found.has(path));
    for (const path of added) found.add(path);
    const named = added.flatMap((path) =>
      [...readFileSync(join(root, path), "utf8").matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)].map(
        ([, target = ""]) => relative(root, join(root, dirname(path), target)),
      ),
    );
    next = [...new Set(named)].filter((path) => !found.has(path) && existsSync(join(root, path)));
    for (const path of next.filter((each) => !/\.(ts|mjs)$/.test(each))) found.add(path);
    next = next.filter((path) => /\.(ts|mjs)$/.test(path));
  }
  return [...found];
}

/** Whether a file is an input of a gate. */
export async function inputsOf({ tests, starts, reads }: Gate): Promise<(path: string) => boolean> {
  const loaded = new Set(await loadedBy([...listed(tests), ...listed(starts)]));
  const globs = [...always, ...tests, ...reads];
  return (path) => loaded.has(path) || globs.some((glob) => matchesGlob(path, glob));
}

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout : undefined;
}

/** The files that differ from a commit, with those that git does not track yet. Undefined: git does not know the commit. */
function changedSince(commit: string): string[] | undefined {
  const changed = commit === "" ? undefined : git("diff", "--name-only", "--no-renames", commit);
  if (changed === undefined) return undefined;
  return `${changed}${git("ls-files", "--others", "--exclude-standard")}`.split("\n").filter(Boolean);
}

/** Prints the names of the closed gates, and on the other stream what runs and why. `commit`: the last that passed. */
async function main(commit: string): Promise<void> {
  const changed = changedSince(commit);
  if (!changed) return console.error("Gates: all tests run, because no commit that passed all checks is known here.");
  console.error(`Gates: ${changed.length} files differ from ${commit.slice(0, 12)}, which passed.`);
  for (const gate of gates) {
    const input = changed.find(await inputsOf(gate));
    const skipped = `skipped: no input of its ${listed(gate.tests).length} test files has changed`;
    console.error(`  ${gate.name}: ${input === undefined ? skipped : `run: ${input}`}`);
    if (input === undefined) console.log(gate.name);
  }
}

if (import.meta.main) await main(process.argv[2] ?? "");
