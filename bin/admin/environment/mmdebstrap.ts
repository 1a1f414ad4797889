import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, join } from "node:path";
import { shellWord } from "../../../src/command-line.ts";
import { commandWorks, runCommand } from "./run-command.ts";

/** The Debian release of the Dockerfile, and its version of Python. */
const suite = "trixie";
const pythonVersion = "3.13";

const wheelArchitectures: Record<string, string> = { x64: "x86_64", arm64: "aarch64" };

/** Lines of mmdebstrap that tell what it does now. */
const stages = /^I: (?:downloading|extracting|installing|cleaning|creating)/;

/** Why mmdebstrap cannot build here, with what to do. Undefined: it can. */
export async function mmdebstrapProblem(): Promise<string | undefined> {
  if (process.platform !== "linux") return "mmdebstrap needs Linux; use --with docker";
  if (wheelArchitectures[process.arch] === undefined)
    return `the environment is for x64 and arm64, not for ${process.arch}`;
  if (!(await commandWorks(["mmdebstrap", "--version"]))) {
    return "mmdebstrap is missing: apt-get install mmdebstrap debian-archive-keyring";
  }
  if (!existsSync("/usr/share/keyrings/debian-archive-keyring.gpg")) {
    return "the keys of Debian's archive are missing: apt-get install debian-archive-keyring";
  }
  if (!(await commandWorks(["python3", "-m", "pip", "--version"])))
    return "pip is missing: apt-get install python3-pip";
  if (process.getuid?.() === 0) return undefined;
  const { username } = userInfo();
  const lacking = ["/etc/subuid", "/etc/subgid"].filter((file) => !hasRange(file, username));
  if (lacking.length > 0) {
    return (
      `${lacking.join(" and ")} ${lacking.length > 1 ? "give" : "gives"} no range of users to ${username}, which mmdebstrap needs unless it runs as root; ` +
      `give a free one: sudo usermod --add-subuids 200000-265535 --add-subgids 200000-265535 ${username}`
    );
  }
  if (!(await commandWorks(["sh", "-c", "command -v newuidmap"])))
    return "newuidmap is missing: apt-get install uidmap";
  return undefined;
}

function hasRange(file: string, username: string): boolean {
  return (
    existsSync(file) &&
    readFileSync(file, "utf8")
      .split("\n")
      .some((line) => line.startsWith(`${username}:`))
  );
}

/**
 * Builds the environment "linux" without a container engine, where `mmdebstrapProblem` finds none. `sources`: the folder of its Dockerfile. `folder`: an existing
 * folder for temporary files. Resolves with the path of a tar archive of the root file system.
 */
export async function buildWithMmdebstrap(
  name: string,
  { sources, folder, report }: { sources: string; folder: string; report: (line: string) => void },
): Promise<string> {
  report("Downloading the wheels of requirements.txt ...");
  const wheels = join(folder, "wheels");
  await runCommand(downloadCommand(join(sources, "requirements.txt"), wheels));
  report("Installing Debian's packages and the wheels ...");
  const archive = join(folder, "rootfs.tar");
  const isRoot = process.getuid?.() === 0;
  const packages = packagesOf(join(sources, "packages.txt"));
  const inside = `/tmp/${basename(sources)}`;
  const build = `cd ${inside} && sh build.sh ${name} && rm -r ${inside} /tmp/wheels`;
  const environment = "env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin PIP_NO_INDEX=1 PIP_FIND_LINKS=/tmp/wheels";
  // In its own mode for users other than root, mmdebstrap must reach its temporary folder as another user.
  if (isRoot) mkdirSync(join(folder, "tmp"));
  await runCommand(
    [
      "mmdebstrap",
      `--mode=${isRoot ? "root" : "unshare"}`,
      "--variant=essential",
      '--aptopt=APT::Install-Recommends "false"',
      `--dpkgopt=${join(sources, "dpkg.cfg")}`,
      `--include=${packages.join(",")}`,
      `--customize-hook=copy-in ${shellWord(sources)} ${shellWord(wheels)} /tmp`,
      `--customize-hook=chroot "$1" ${environment} sh -c "${build}"`,
      suite,
      archive,
    ],
    {
      report: (line) => {
        if (stages.test(line)) report(`  ${line.slice(3)}`);
      },
      ...(isRoot && { env: { TMPDIR: join(folder, "tmp") } }),
    },
  );
  return archive;
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
