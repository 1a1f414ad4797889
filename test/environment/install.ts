import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { root } from "../integration/script.ts";
import { nodeOf, type TestUser } from "../support/ordinary-user.ts";

/** A build takes 70 seconds of processor time, and nine minutes on two processors with a load of 25. Three run at the same time. */
export const buildSeconds = 1_800;

/** What `environment install --check` prints of the environment of this release. */
export const works = {
  ok: true,
  environment: ["installed", "current", "programs"].map((name) => ({ name, ok: true })),
};

/** Variables with which this machine's pip and apt find their index. */
const ofNetwork = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(PIP_|SSL_|REQUESTS_|https?_proxy$|no_proxy$)/i.test(name)),
);

/** Runs `admin environment` in a process of its own. Rejects with what it printed if its exit code is not 0. */
export async function environment(user: TestUser, ...args: string[]): Promise<string> {
  const { ids, variables, project = root } = user;
  const child = spawn(nodeOf(user), ["bin/admin.ts", "environment", ...args], {
    cwd: project,
    env: { ...ofNetwork, PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    ...ids,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0) throw new Error(`environment ${args.join(" ")} ended with ${String(code)}:\n${stderr}\n${stdout}`);
  return stdout;
}

/** Throws an Error with what to install. `programs`: names of commands, with the packages of Debian that have them. */
export function need(programs: Record<string, string>): void {
  const missing = Object.entries(programs).filter(([name]) => !isInstalled(name));
  if (missing.length === 0) return;
  throw new Error(
    `${missing.map(([name]) => name).join(", ")} missing: apt-get install ${missing.map(([, packages]) => packages).join(" ")}`,
  );
}

export function needMmdebstrap(): void {
  need({ mmdebstrap: "mmdebstrap debian-archive-keyring", newuidmap: "uidmap", bwrap: "bubblewrap" });
}

function isInstalled(program: string): boolean {
  return ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"].some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
