import type { Outcome } from "./describe-attacks.ts";

/**
 * What attacks print in the container of a function where that differs from bubblewrap. A program is a process beside the
 * function's own, under the same user and without namespaces; it has no sockets but local ones. `/work` is a link into /tmp, the
 * only folder that can be written to.
 */
export const functionOutputs: Record<string, Outcome> = {
  "every mount ignores setuid bits, and all but the private ones are read-only": "/dev/pts\n/proc\n/tmp\n",
  "the clock and the names of the machine cannot be changed": /^1\n(?!evil)\S+\nrefused\n$/,
  "device nodes cannot be made": /^(\/(work|tmp|dev\/shm|dev) (character|block) (EPERM|EROFS)\n){8}$/,
  "/proc/sys/kernel/ns_last_pid cannot be written": "write EPERM\n",
  // Those that can be written are settings of the process itself.
  "no file of its own process in /proc can be written":
    /^uid_map EPERM\ngid_map EPERM\nsetgroups EACCES\nprojid_map E\w+\n([\w/]+ .*\n){11}$/,
  "the environment of process 1 names no folder of the host": /^(\[\]\n)+$/,
  // The function's process, and `supervise.py`.
  "only the sandbox's own processes are visible": "1\nMainThread\npython3\nend\n",
  // The pipe in which `supervise.py` reads the program's own output.
  "descriptors of other processes cannot be opened":
    /^(\/proc\/(\d+)\/fd\/\d+ (pipe:\[\d+\]) OPENED\n(\/proc\/\2\/fd\/\d+ \3 OPENED\n)*)?end\n$/,
  "the end of the program cannot be forged on any descriptor":
    /^(ended\n|\/proc\/\d+\/fd\/\d+ WRITTEN\n)+\{"exit-code": 0\}\n$/,
  "the memory of its own program can be changed only by itself": /^child's memory E(IO|ROFS)\n$/,
  "no address can be reached": /^(\S+ ENETUNREACH\n){10}$/,
  "raw and packet sockets are refused": /^(\w+ ENETUNREACH\n){7}$/,
  "interfaces and routes cannot be changed": /^(\w+( port)? ENETUNREACH\n){6}$/,
  // It ends its own call. Lambda starts another process for the next one.
  "kill -9 -1 ends only the sandbox's own processes": { problem: /^The sandbox function failed: / },
  // The parent is `supervise.py`.
  "the parent is process 1 or 0 of the sandbox": "False False False\n",
  "other folders of the host are not there":
    /^((bin|dev|etc|lib|lib32|lib64|libx32|opt|proc|run|sbin|tmp|usr|var|work)\n)+end\n$/,
  // It is /tmp/evil, which does not outlive the call.
  "names that would leave the workspace cannot be made": "'/work/../' WRITTEN\nend\n",
  "files in /tmp do not outlive the call": /^\.program\nworkspace\n(.*\/dev\/shm\/left: .*\n)?end\n$/,
  "files in /tmp do not outlive the call (again)": ".program\nworkspace\nend\n",
  "shared memory of the call before is not there": "EPERM EPERM\n",
};

/** Errors of refused calls where they differ. */
export const functionErrors: Record<string, string> = { socket: "ENETUNREACH" };

const platformProcess = "process 1 is Lambda's, of another user; in the test it is bubblewrap's";
const namespaceSetting = "it is a setting of an IPC namespace, which the test makes and Lambda does not";

/** Attacks that do not apply, and why. */
export const notInFunctions: Record<string, string> = {
  "the memory of process 1 cannot be changed, and its root is the sandbox": platformProcess,
  "the command line of process 1 names no folders of the host": platformProcess,
  "/proc/sys/kernel/shmmax cannot be written": namespaceSetting,
  "/proc/sys/kernel/msgmax cannot be written": namespaceSetting,
  "/proc/sys/fs/mqueue/msg_max cannot be written": namespaceSetting,
  "the only interface is the loopback of the sandbox":
    "the function has a network; its programs have no sockets for it",
  "its own servers work and end with the call": "programs have no sockets but local ones",
};
