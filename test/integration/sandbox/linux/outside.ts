import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programEnvironment, type RootFolder } from "../../../../src/sandbox/linux/bubblewrap/bwrap-arguments.ts";

/** What a program wrote, and how it ended. */
export interface Ended {
  output: string;
  exitCode: number | null;
}

/** As in the sandbox. */
const user = 65534;
const isRoot = process.getuid?.() === 0;

/**
 * Enters the root file system with the machine's /dev and /proc. $1: root, $2: folder of the program; the rest: command. Not
 * with chroot, after which the kernel makes no user namespace.
 */
const enter = `set -e
ROOT=$1 FOLDER=$2; shift 2
PATH=$PATH:/usr/sbin:/sbin
mount --rbind "$ROOT" "$ROOT"
mount --rbind /dev "$ROOT/dev"; mount --rbind /proc "$ROOT/proc"
mount -t tmpfs -o mode=1777 tmp "$ROOT/tmp"; mount --bind "$FOLDER" "$ROOT/mnt"
cd "$ROOT"; pivot_root . .
python3 -c 'import ctypes; ctypes.CDLL(None).umount2(b".", 2)' # an environment has no umount
cd /
exec "$@"`;

/** Changes the user in the root file system. Root can; others map their own user. */
const asUser = isRoot
  ? ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"]
  : ["unshare", "--user", `--map-user=${user}`, `--map-group=${user}`];

/** The program's output is a pipe, as in the sandbox: programs cannot reopen the sockets that Node gives them. */
const behindPipe = 'cd "$1"; shift; "$@" </dev/null 2>&1 | cat; exit "${PIPESTATUS[0]}"';

/**
 * Runs a program as the sandbox does, but outside of it: in the same root file system, with the same environment variables and
 * user, with the machine's namespaces, devices and file systems. `files`: of its working directory.
 */
export async function runOutside(
  root: RootFolder,
  {
    text,
    language = "shell",
    files = {},
  }: { text: string; language?: "shell" | "python"; files?: Record<string, string> },
): Promise<Ended> {
  const folder = mkdtempSync("/tmp/agent-outside-"); // every user can enter it
  const work = join(folder, "work");
  const name = language === "shell" ? "script.sh" : "program.py";
  mkdirSync(work);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(work, file), content);
  writeFileSync(join(folder, name), text);
  chmodSync(folder, 0o755);
  if (isRoot) chownSync(work, user, user);
  try {
    const seen = root.isMachine ? folder : "/mnt";
    const environment = { ...programEnvironment, PYTHONPATH: join(seen, "work") };
    const start = [
      "bash",
      "-c",
      behindPipe,
      "bash",
      join(seen, "work"),
      language === "shell" ? "bash" : "python3",
      join(seen, name),
    ];
    const variables = Object.entries(environment).map(([variable, value]) => `${variable}=${value}`);
    const command = ["env", "-i", ...variables, ...start];
    const namespaces = isRoot ? [] : ["--user", "--map-root-user"];
    const [file = "", ...args] = root.isMachine
      ? [...(isRoot ? asUser : []), ...command]
      : [
          "unshare",
          ...namespaces,
          "--mount",
          "--propagation",
          "private",
          "sh",
          "-c",
          enter,
          "sh",
          root.path,
          folder,
          ...asUser,
          ...command,
        ];
    const ended = await run(file, args);
    // The sandbox shows the program's text at another place.
    return { ...ended, output: ended.output.replaceAll(join(seen, name), join("/run", name)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(file: string, args: string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: "/", stdio: ["ignore", "pipe", "ignore"] });
    const parts: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => parts.push(part));
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ output: Buffer.concat(parts).toString(), exitCode }));
  });
}
