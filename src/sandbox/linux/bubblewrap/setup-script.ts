import { readFileSync } from "node:fs";
import { ownEtc } from "./bwrap-arguments.ts";
import { pythonStartFile } from "../python-path.ts";

// Descriptors of the scripts: 0 is empty, 1 the program's output, 2 the script's own errors, 3 the arguments of bubblewrap, 4
// its filter, 5 its status, 6 open until the changes have been read, 7 a line when the files are there and then the program's
// text, 8 the archive with the stubs.

/** Of a program: half of the kernel's default for a user, for four programs at a time; and enough for the folders of a workspace. */
const inotifyInstances = 16;
const inotifyWatches = 5_000;

/** Folders below the scratch folder. */
export const scratchFolders = {
  root: "root",
  /** Files that the service copies, and all that the program writes: the workspace itself if there are no stubs. */
  files: "files",
  /** Files with a content in the store: `stubs.ts`. */
  stubs: "stubs",
  /** The stubs as the archive has them, before they get their names. */
  archive: "archive",
  /** The workspace with stubs, as the program sees it. */
  work: "work",
  tmp: "tmp",
  varTmp: "var-tmp",
  shm: "shm",
  program: "program",
  python: "python",
  etc: "etc",
  /** Permissions of files that the script has opened to the service. */
  modes: "modes",
} as const;

/**
 * Lets the service read the files of another user that only this user can read. $WORK: the workspace; $WRITTEN: the files in it
 * that the program wrote; $MODES: file for the permissions that they had, for `readModes`.
 */
export const openToOthers = String.raw`{
  find "$WORK" -type d ! -perm -005 -printf '%m ./%P\0'
  find "$WRITTEN" -type f ! -perm -004 -printf '%m ./%P\0'
} >"$MODES"
cut -z -d ' ' -f 2- "$MODES" | (cd "$WORK" && xargs -0r chmod o+rX --)`;

/** Permissions by path, as `openToOthers` has written them. */
export function readModes(file: string): Map<string, number> {
  const lines = readFileSync(file, "utf8").split("\0").slice(0, -1);
  return new Map(lines.map((line) => [line.slice(line.indexOf("/") + 1), Number.parseInt(line, 8) & 0o777]));
}

/** Lines that the script prints on the status descriptor. Those of bubblewrap are JSON. */
export const marks = {
  /** The service can make the files. */
  ready: "ready",
  /** The workspace is as the program will find it. */
  mounted: "mounted",
  /** The program has ended and its changes can be read. */
  ended: "ended",
} as const;

/**
 * Runs the program. Root can read the files that it made unreadable; for a service of another user, their modes are changed: it
 * owns them, or is one of the others for them. The times of what is readable stay as they are.
 *
 * The program itself runs behind a pipe: Node gives sockets to its children, and `echo > /dev/stderr` cannot open those. The
 * pipe is made after the change of the user, who has to own it for the same reason. bubblewrap starts without this script's
 * variables, because they name folders of the host and can be read in /proc/1/environ.
 */
const runBwrap = `$DROP sh -c 'env -i PATH="$PATH" bwrap --args 3 --seccomp 4 --json-status-fd 5 "$@" 2>&1 6<&- 7<&- 8<&- | cat' sh "$@" || true
[ "$USERS" != range ] || { ${openToOthers}; }
echo ${marks.ended} >&5
wait $service || true`;

/**
 * Kills the group of processes when the service ends without a word, and ends as soon as the service has read the changes.
 * Without it, an endless program would outlive a service that is killed.
 */
const watchService = `{ read -r _ <&6 || kill -KILL 0; } 7<&- 8<&- &
service=$!`;

const takeProgram = `cat <&7 >"$SCRATCH/program"
exec 7<&-
mkdir "$SCRATCH/python" "$SCRATCH/etc"
printf %s "$PYTHON_START" >"$SCRATCH/python/${pythonStartFile}"
${Object.entries(ownEtc)
  .map(([name, text]) => `printf %s '${text}' >"$SCRATCH/etc/${name}"`)
  .join("\n")}`;

/**
 * Prepares the folders of one program and runs bubblewrap in them. It runs as root of a mount namespace of its own: with a
 * user namespace of an ordinary user, or as real root, who gives up all rights before bubblewrap starts.
 * - The scratch folder is a tmpfs with limits on bytes and inodes.
 * - The service makes the files through /proc/PID/root. Most are copies in the tmpfs. Large ones are stubs, and an overlay
 *   shows their contents from the store, which the program cannot change. Nothing is left when the processes are killed.
 * - After the program, it waits until the service has read the changes in the same way.
 */
export const memoryScript = `set -eu
${watchService}
for group in $GROUPS_OF_SLOT; do echo $$ >"$group"; done
echo 1000 >/proc/self/oom_score_adj
if [ "$USERS" != own ]; then # the kernel counts these also for the user who made the namespace
  echo ${inotifyInstances} >/proc/sys/user/max_inotify_instances
  echo ${inotifyWatches} >/proc/sys/user/max_inotify_watches
fi
mount -t tmpfs -o "size=$SIZE,nr_inodes=$INODES,mode=0755" scratch "$SCRATCH"
cd "$SCRATCH"
umask 000
mkdir root internal work tmp var-tmp shm
umask 022 # the program's, too
mkdir files stubs archive
mount --rbind "$ROOT" root
[ -z "$CONTENTS" ] || tar -x -f - -C archive --xattrs --xattrs-include='*.overlay.*' <&8
exec 8<&-
echo ${marks.ready} >&5
read -r _ <&7
[ -z "$OWNER" ] || chown -Rh "$OWNER:$OWNER" files stubs
if [ -n "$CONTENTS" ]; then
  cd "$CONTENTS" # the options of a mount can be read in the sandbox
  mount -t overlay -o "lowerdir=$SCRATCH/stubs::.,upperdir=$SCRATCH/files,workdir=$SCRATCH/internal,$OPTIONS" workspace "$WORK"
fi
cd /
echo ${marks.mounted} >&5
${takeProgram}
${runBwrap}`;

/** Without mounts: the files are in a folder on the disk. For machines that let bubblewrap alone make namespaces. */
export const diskScript = `set -eu
${watchService}
for group in $GROUPS_OF_SLOT; do echo $$ >"$group"; done
echo 1000 >/proc/self/oom_score_adj
echo ${marks.ready} >&5
read -r _ <&7
echo ${marks.mounted} >&5
${takeProgram}
${runBwrap}`;

/**
 * Options of the overlay, and the kind of attributes that it reads. Folders with stubs can be renamed only with redirects,
 * which a user namespace does not have.
 */
export const overlays = {
  root: { options: "redirect_dir=on,metacopy=on,index=off,xino=off", attributes: "trusted" },
  user: { options: "userxattr,index=off,xino=off", attributes: "user" },
} as const;
