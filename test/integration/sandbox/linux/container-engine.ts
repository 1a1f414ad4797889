import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runContents } from "../../../../src/platform/local/database/run-contents.ts";
import { localWorkspace } from "../../../../src/platform/local/workspace.ts";
import { containerLinux } from "../../../../src/sandbox/linux/containers/container.ts";
import { findContainers } from "../../../../src/sandbox/linux/containers/find-containers.ts";
import { linuxLimits, type LinuxLimits } from "../../../../src/sandbox/linux/linux-limits.ts";
import type { Linux, LinuxResult } from "../../../../src/sandbox/linux/linux-types.ts";
import { installedRoot } from "../../../support/installed-root.ts";
import type { NoEngine, TestProgram } from "./engine.ts";

export interface TestContainers {
  run(program: TestProgram): Promise<LinuxResult>;
  linuxOf: (runId: string) => Linux;
  /** Folder of all workspaces. */
  folder: string;
  /** Names of the containers that exist now, of this engine's service only. */
  containers(): string[];
  /** What the machine cannot bound. */
  missing: string[];
}

const podman = "/usr/bin/podman";
const neverAborts = new AbortController().signal;
const noFacts = { name: "linux", digest: "", system: "", programs: {}, python: { version: "", libraries: {} } };

/** Copies a shell, coreutils and Python of this machine with their libraries to $1: 70 MB. */
const copyPrograms = `set -e
ROOT=$1; PATH=/usr/sbin:/usr/bin:/sbin:/bin
for folder in dev etc proc run sys tmp usr/bin var/tmp work; do mkdir -p "$ROOT/$folder"; done
chmod 1777 "$ROOT/tmp" "$ROOT/var/tmp"; ln -s usr/bin "$ROOT/bin"; cp /etc/passwd /etc/group "$ROOT/etc"
library=$(python3 -I -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
mkdir -p "$ROOT$library"; tar -C "$library" --exclude=dist-packages --exclude=test --exclude=__pycache__ -c . | tar -C "$ROOT$library" -x
cd /usr/bin
packages=$(dpkg -L coreutils util-linux mount procps 2>/dev/null | grep bin/ | sed 's|.*/||' | sort -u)
for name in bash sh python3 grep sed awk find gzip tar $packages; do
  path=$(command -v $name) || continue
  case $path in /*) ;; *) path=$(which $name) || continue;; esac
  cp -L "$path" "$ROOT/usr/bin/$name"
done
for file in "$ROOT"/usr/bin/* "$ROOT$library"/lib-dynload/*.so; do ldd "$file" 2>/dev/null; done |
  grep -oE '/[^ ]+' | sort -u | while read -r path; do [ -e "$ROOT$path" ] || cp -L --parents "$path" "$ROOT"; done`;

/** Makes a root file system with some of this machine's programs. Returns its path. */
export function ownRoot(path: string): string {
  execFileSync("bash", ["-c", copyPrograms, "bash", path]);
  return path;
}

/** Opens podman as `npm start` does. Where it does not work, it says why. */
export async function openPodman(limits: Partial<LinuxLimits> = {}): Promise<TestContainers | NoEngine> {
  if (!existsSync(podman)) return { unavailable: "podman is not installed" };
  const folder = mkdtempSync(join(tmpdir(), "agent-podman-"));
  const root = { root: installedRoot() ?? ownRoot(join(mkdtempSync(join(tmpdir(), "agent-root-")), "root")) };
  const found = await findContainers("podman", folder, root, { programs: 2, limits: { ...linuxLimits, ...limits } });
  // An engine that is there and does not work is a failure of these tests.
  if ("unavailable" in found) throw new Error(found.unavailable);
  const workspace = localWorkspace(folder);
  const linuxOf = (id: string): Linux =>
    containerLinux(found.containers, { root, facts: noFacts }, { id, contents: runContents(folder, id) });
  return {
    linuxOf,
    folder,
    missing: found.missing,
    async run({ text, language = "shell", files = {}, seconds = 60, signal = neverAborts, onOutput, runId = "run" }) {
      const stored = Object.entries(files).map(([name, content]) => {
        const bytes = Buffer.from(content);
        return { name, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex"), content: bytes };
      });
      await workspace.write(runId, stored);
      const started = stored.map(({ name, size, sha256 }) => ({ name, size, sha256 }));
      return linuxOf(runId).run({ language, text, seconds, files: started }, signal, onOutput);
    },
    containers() {
      const filter = `label=agent-run-service.owner=${found.containers.owner}`;
      const listed = execFileSync(podman, ["ps", "--all", "--quiet", "--filter", filter], { encoding: "utf8" });
      return listed.split("\n").filter(Boolean);
    },
  };
}
