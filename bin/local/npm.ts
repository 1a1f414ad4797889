import { readFileSync } from "node:fs";

const lookMilliseconds = 250;
const shells = /^(sh|dash|ash|bash|zsh|ksh)$/;

/**
 * Calls `ended` once the npm that runs this process as its script `start` is gone. npm hands a SIGTERM to the shell
 * between the two, and not every shell (dash) hands it on; of a SIGKILL nobody is told. The service would then go on,
 * and keep its port and data folder, without anybody who knows of it. Nothing happens for a process started otherwise.
 */
export function onNpmEnd(ended: () => void): void {
  if (process.env["npm_lifecycle_event"] !== "start") return;
  const shell = shells.test(proc(process.ppid, "comm").trim()) ? process.ppid : undefined;
  const above = (): string => [process.ppid, shell && parentOf(shell)].join();
  const first = above();
  const look = setInterval(() => {
    if (above() === first) return;
    clearInterval(look);
    ended();
  }, lookMilliseconds);
  look.unref();
}

/** "" where there is no /proc; elsewhere /bin/sh becomes the one command it is given. */
function proc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** After the name in brackets, which may hold anything, come the state and the parent (proc_pid_stat(5)). */
function parentOf(pid: number): string | undefined {
  return /^[^]*\) \S (\d+)/.exec(proc(pid, "stat"))?.[1];
}
