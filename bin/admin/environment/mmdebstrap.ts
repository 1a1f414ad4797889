import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../../../src/command-line.ts";
import { type BuildLog, stepMark } from "./build-log.ts";
import { temporaryFolder } from "./leftovers.ts";
import { commandWorks, runCommand } from "./run-command.ts";
import { userRangeProblems } from "./user-ranges.ts";

/** The Debian release of the Dockerfile, and its version of Python. */
const suite = "trixie";
const pythonVersion = "3.13";

const wheelArchitectures: Record<string, string> = { x64: "x86_64", arm64: "aarch64" };

/** Lines of mmdebstrap that tell what it does now. */
const stages = /^I: ((?:downloading|extracting|installing|cleaning|creating)[^.]*)/;

/** Why mmdebstrap cannot build here, each with what to do. Empty: it can. */
export async function mmdebstrapProblems(): Promise<string[]> {
  if (process.platform !== "linux") return ["mmdebstrap needs Linux; use --with docker"];
  if (wheelArchitectures[process.arch] === undefined) {
    return [`the environment is for x64 and arm64, not for ${process.arch}`];
  }
  const keys = existsSync("/usr/share/keyrings/debian-archive-keyring.gpg");
  const problems = [];
  if (!(await commandWorks(["mmdebstrap", "--version"]))) {
    problems.push("mmdebstrap is missing: apt-get install mmdebstrap debian-archive-keyring");
  } else if (!keys) {
    problems.push("the keys of Debian's archive are missing: apt-get install debian-archive-keyring");
  }
  if (!(await commandWorks(["python3", "-m", "pip", "--version"]))) {
    problems.push("pip is missing: apt-get install python3-pip");
  }
  return [...problems, ...(await userRangeProblems("mmdebstrap"))];
}

/**
 * Builds the environment "linux" without a container engine, where `mmdebstrapProblems` finds none. `sources`: the folder of its Dockerfile. `folder`: an existing
 * folder for temporary files. Resolves with the path of a tar archive of the root file system.
 */
export async function buildWithMmdebstrap(
  name: string,
  { sources, folder, log, signal }: { sources: string; folder: string; log: BuildLog; signal: AbortSignal },
): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  // Without root, the build runs as another user, who cannot enter a home folder. /tmp is often in memory, and too small.
  const temporary = isRoot ? folder : temporaryFolder(userTemporaryFolder(), "agent-environment-");
  try {
    const staged = join(temporary, "environment");
    const wheels = join(temporary, "wheels");
    if (!isRoot) chmodSync(temporary, 0o755);
    cpSync(sources, staged, { recursive: true });
    log.step("download the wheels of requirements.txt");
    await runCommand(downloadCommand(join(staged, "requirements.txt"), wheels), { log, signal });
    log.step("install Debian's packages and the wheels");
    const archive = join(folder, "rootfs.tar");
    const inside = "/tmp/environment";
    const build = `cd ${inside} && sh build.sh ${name} && rm -r ${inside} /tmp/wheels`;
    const environment = "env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin PIP_NO_INDEX=1 PIP_FIND_LINKS=/tmp/wheels";
    const temporaryOfBuild = isRoot ? join(folder, "tmp") : userTemporaryFolder();
    if (isRoot) mkdirSync(temporaryOfBuild);
    await runCommand(
      [
        "mmdebstrap",
        `--mode=${isRoot ? "root" : "unshare"}`,
        "--variant=essential",
        '--aptopt=APT::Install-Recommends "false"',
        `--dpkgopt=${join(staged, "dpkg.cfg")}`,
        `--include=${packagesOf(join(staged, "packages.txt")).join(",")}`,
        `--customize-hook=copy-in ${shellWord(staged)} ${shellWord(wheels)} /tmp`,
        `--customize-hook=chroot "$1" ${environment} sh -c "${build}"`,
        suite,
        archive,
      ],
      {
        log,
        signal,
        report: (line) => {
          const [, stage] = stages.exec(line) ?? stepMark.exec(line) ?? [];
          if (stage !== undefined) log.part(stage);
        },
        env: { TMPDIR: temporaryOfBuild },
      },
    );
    return archive;
  } finally {
    if (!isRoot) rmSync(temporary, { recursive: true, force: true });
  }
}

/** Where a build without root has its files: on a disk, and every user can enter it. */
function userTemporaryFolder(): string {
  return process.env["TMPDIR"] ?? "/var/tmp";
}

/** Of a file with one package per line, and comments. */
function packagesOf(file: string): string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** Wheels for the Python of the environment, whichever Python and pip this machine has. */
function downloadCommand(requirements: string, to: string): string[] {
  const architecture = wheelArchitectures[process.arch];
  const platforms = ["manylinux_2_28", "manylinux2014"].flatMap((name) => ["--platform", `${name}_${architecture}`]);
  return [
    ["python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check"],
    ["--only-binary", ":all:", "--implementation", "cp", "--python-version", pythonVersion, ...platforms],
    ["--no-deps", "--require-hashes", "--dest", to, "--requirement", requirements],
  ].flat();
}
