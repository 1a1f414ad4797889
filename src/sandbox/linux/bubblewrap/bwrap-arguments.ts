import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { LinuxLimits } from "../linux-limits.ts";
import { pythonFolder } from "../python-path.ts";

/** The root file system of an environment. */
export interface RootFolder {
  path: string;
  /** It is the machine's own: only the parts of /etc that programs need are shown. */
  isMachine: boolean;
}

/** Folders of the host that bubblewrap shows to a program. */
export interface ShownFolders {
  /** Root of the environment, as bubblewrap's user can reach it. */
  root: string;
  work: string;
  /** Absent: bubblewrap makes a new one with a limit of its own. */
  tmp?: string;
  varTmp?: string;
  shm?: string;
  /** File with the program's text. */
  program: string;
  /** Folder with `pythonStart`. */
  python: string;
  /** Folder with `ownEtc`, shown if the root is the machine's. */
  etc: string;
}

/** Parts of the machine's /etc without which usual programs fail. None of them is private. */
const machineEtc = [
  "alternatives",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "magic",
  "mime.types",
  "fonts",
  "debian_version",
];

/** Files of /etc that take the place of the machine's, which name its users: `whoami` and `localhost` fail without them. */
export const ownEtc = {
  passwd: "nobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n",
  group: "nogroup:x:65534:\n",
  hosts: "127.0.0.1 localhost\n::1 localhost\n",
};

/** Folders of a root that are links to /usr on most distributions. */
const topFolders = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/** Where a program finds its own text, by language. */
export const programPaths = { shell: "/run/script.sh", python: "/run/program.py" };

/**
 * Arguments of bubblewrap for one program, without the command. Passed by descriptor, because /proc/1/cmdline in the sandbox
 * shows the rest. Names of options and their order: bwrap(1) of version 0.8.
 */
export function bwrapArguments(
  root: RootFolder,
  folders: ShownFolders,
  language: "shell" | "python",
  { diskBytes }: Pick<LinuxLimits, "diskBytes">,
): string[] {
  const shown = (path: string): string => join(folders.root, path);
  const links = topFolders.flatMap((name) => {
    const path = join(root.path, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) return ["--symlink", readlinkSync(path), `/${name}`];
    return found?.isDirectory() ? ["--ro-bind", shown(name), `/${name}`] : [];
  });
  const etc = root.isMachine
    ? [
        ["--dir", "/etc"],
        machineEtc.flatMap((name) => ["--ro-bind-try", shown(`etc/${name}`), `/etc/${name}`]),
        Object.keys(ownEtc).flatMap((name) => ["--ro-bind", join(folders.etc, name), `/etc/${name}`]),
      ].flat()
    : ["--ro-bind", shown("etc"), "/etc"];
  const size = String(diskBytes);
  const newFolder = (path: string): string[] => ["--perms", "1777", "--size", size, "--tmpfs", path];
  const folder = (source: string | undefined, path: string): string[] =>
    source === undefined ? newFolder(path) : ["--bind", source, path];
  return [
    ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"],
    ["--hostname", "sandbox", "--new-session", "--die-with-parent", "--cap-drop", "ALL", "--clearenv"],
    Object.entries(programEnvironment).flatMap(([name, value]) => ["--setenv", name, value]),
    // 1 MB for the mount points. A tmpfs without size may use half of the machine's memory.
    ["--perms", "0755", "--size", "1048576", "--tmpfs", "/"],
    ["--ro-bind", shown("usr"), "/usr"],
    links,
    etc,
    ["--proc", "/proc", "--dev", "/dev"],
    folder(folders.shm, "/dev/shm"),
    ["--remount-ro", "/dev"],
    folder(folders.tmp, "/tmp"),
    folder(folders.varTmp, "/var/tmp"),
    ["--dir", "/run", "--ro-bind", folders.program, programPaths[language]],
    ["--ro-bind", folders.python, pythonFolder],
    ["--bind", folders.work, "/work", "--chdir", "/work"],
    hiddenFiles.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    // A program that runs as root outside of the sandbox could otherwise write the host's settings in /proc/sys.
    ["--remount-ro", "/proc", "--remount-ro", "/"],
  ].flat();
}

/** Files of /proc that tell about the host's keys. */
const hiddenFiles = ["/proc/keys", "/proc/key-users"];

/** All environment variables of a program. */
export const programEnvironment: Record<string, string> = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/tmp",
  LANG: "C.UTF-8",
  TZ: "UTC",
  // The workspace's modules can be imported, and no compiled ones are left in it.
  PYTHONPATH: pythonFolder,
  PYTHONDONTWRITEBYTECODE: "1",
  // Standard output and standard error stay in the order of writing.
  PYTHONUNBUFFERED: "1",
  MPLBACKEND: "Agg",
};

/** Pending signals, and bytes of POSIX message queues, which the kernel also counts for the user who made the namespace. */
const pendingSignals = 1_024;
const queueBytes = 100_000;
/**
 * Address space of a process whose memory is only watched. 5 memories of WebAssembly fit, which reserve 10 GB each; without the
 * limit, a map of 1,500 GB took 3 GB of page tables in 4 s.
 */
const addressKilobytes = 64 * 1024 * 1024;

/**
 * Sets limits, and closes the descriptors that the service itself got from its parent: Node marks the first ones only to be
 * closed. $1: options of ulimit; $2: those that have no effect where the machine has a lower limit; the rest: the command.
 */
const prepare = `ulimit $1 || exit
while read -r option value; do ulimit "$option" "$value" 2>/dev/null; done <<<"$2"
shift 2
for path in /proc/self/fd/*; do
  [ "\${path##*/}" -gt 2 ] && eval "exec \${path##*/}>&-"
done
exec "$@"`;

/** The command that runs a program with limits on each of its processes. `isMemoryBound`: a control group bounds its memory. */
export function programCommand(
  language: "shell" | "python",
  { processes, openFiles, fileBytes }: Pick<LinuxLimits, "processes" | "openFiles" | "fileBytes">,
  isMemoryBound: boolean,
): string[] {
  // The number of processes is counted per user namespace, so the limit has to be set inside of it.
  // Of a file, 1 KB more than is saved: one that was cut at the limit is larger than one that is complete.
  const limits = `-c 0 -n ${openFiles} -u ${processes} -f ${Math.floor(fileBytes / 1024) + 1}`;
  const lower = [`-i ${pendingSignals}`, `-q ${queueBytes}`, ...(isMemoryBound ? [] : [`-v ${addressKilobytes}`])];
  return [
    "bash",
    "-c",
    prepare,
    "bash",
    limits,
    lower.join("\n"),
    language === "shell" ? "bash" : "python3",
    programPaths[language],
  ];
}
