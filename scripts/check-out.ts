import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const lockFile = "package-lock.json";

interface CheckedOut extends Disposable {
  folder: string;
}

/**
 * The files of a commit with dependencies, validators and page, in a temporary folder. Disposal removes it. It is ready in two
 * seconds if all its dependencies are installed here; otherwise npm installs them. Throws if git does not know the commit.
 */
export function checkOut(commit: string): CheckedOut {
  const parent = mkdtempSync(join(tmpdir(), "checked-out-"));
  const remove = (): void => rmSync(parent, { recursive: true, force: true });
  const folder = join(parent, "service"); // not below node_modules, where Node.js runs no TypeScript
  const archive = join(parent, "files.tar");
  try {
    mkdirSync(folder);
    run("git", ["archive", "--output", archive, commit], root);
    run("tar", ["-xf", archive, "-C", folder], root);
    if (hasPackagesOf(folder)) {
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      utimesSync(join(folder, lockFile), 0, 0); // older than the installation: npm ci would empty the linked folder
    }
    run(process.execPath, ["scripts/install.mjs", "--console"], folder);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, [Symbol.dispose]: remove };
}

/** Tests that build the release before, by their paths. */
const upgradeTests = [
  "test/infra/upgrade.slow.test.ts",
  "test/integration/releases/two-releases.test.ts",
  "test/deploy/upgrade.test.ts",
];

/** The tests of upgrades that cannot run here, because this is a shallow clone or no clone, which is printed. */
export function impossibleUpgradeTests(): string[] {
  if (process.env["FORMER_RELEASE"] || git("rev-parse", "--is-shallow-repository") === "false") return [];
  console.warn(
    `Skipped, because git has no history here (fetch it with git fetch --unshallow --tags): ${upgradeTests.join(", ")}`,
  );
  return upgradeTests;
}

interface Release {
  version: string;
  commit: string;
}

/**
 * The newest release in CHANGELOG.md other than this checkout: the tag `vVERSION`, or the commit `chore: cut VERSION`. Throws if
 * git has neither, as in a shallow clone. `FORMER_RELEASE` names another commit.
 */
export function formerRelease(): Release {
  const given = process.env["FORMER_RELEASE"];
  if (given) return { version: given, commit: given };
  const released = readFileSync(join(root, "CHANGELOG.md"), "utf8").matchAll(/^## (\d+\.\d+\.\d+)/gm);
  const versions = [...released].map(([, version = ""]) => version);
  const head = git("rev-parse", "HEAD");
  for (const version of versions) {
    const subject = `^chore: cut ${version.replaceAll(".", "\\.")}$`;
    const commit =
      git("rev-parse", "--verify", `v${version}^{commit}`) || git("log", "-1", "--format=%H", "--grep", subject);
    if (commit !== "" && commit !== head) return { version, commit };
  }
  throw new Error(
    `git has no tag or commit of an earlier release (${versions.join(", ")}); fetch the history with git fetch --unshallow --tags`,
  );
}

/** What git prints. Empty if it fails, or is not installed. */
function git(...args: string[]): string {
  const { stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" }) as { stdout: string | null };
  return stdout?.trim() ?? "";
}

/** Whether each package of the folder's lock file is installed here, with the same content. */
function hasPackagesOf(folder: string): boolean {
  const [wanted, installed] = [packagesOf(folder), packagesOf(root)];
  return Object.entries(wanted).every(([path, each]) => path === "" || installed[path]?.integrity === each.integrity);
}

function packagesOf(folder: string): Record<string, { integrity?: string }> {
  const lock = JSON.parse(readFileSync(join(folder, lockFile), "utf8")) as unknown;
  return (lock as { packages: Record<string, { integrity?: string }> }).packages;
}

function run(command: string, args: string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr.trim()}`);
}
