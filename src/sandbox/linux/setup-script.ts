// Descriptors of the scripts: 0 is empty, 1 the program's output, 2 the script's own errors, 3 the arguments of bubblewrap, 4
// its filter, 5 its status, 6 open until the changes have been read, 7 the program's text.

/** Folders below the scratch folder. */
export const scratchFolders = {
  root: "root",
  /** The upper layer of the workspace: what the program changed. */
  changes: "changes",
  /** The workspace as the program sees it. */
  work: "work",
  tmp: "tmp",
  shm: "shm",
  program: "program",
} as const;

/** What the script prints on the status descriptor when the program has ended and its changes can be read. */
export const endMark = "ended";

/**
 * Runs the program. Root can read the files that it made unreadable; for other users, their modes are changed.
 *
 * The program itself runs behind a pipe: Node gives sockets to its children, and `echo > /dev/stderr` cannot open those. The
 * pipe is made after the change of the user, who has to own it for the same reason. bubblewrap starts without this script's
 * variables, because they name folders of the host and can be read in /proc/1/environ.
 */
const runBwrap = `$DROP sh -c 'env -i PATH="$PATH" bwrap --args 3 --seccomp 4 --json-status-fd 5 "$@" 2>&1 6<&- 7<&- | cat' sh "$@" || true
[ -n "$OWNER" ] || find "$WORK" \\( -type d ! -perm -700 -o -type f ! -perm -400 \\) -exec chmod u+rwX {} +
echo ${endMark} >&5
wait $service || true`;

/**
 * Kills the group of processes when the service ends without a word, and ends as soon as the service has read the changes.
 * Without it, an endless program would outlive a service that is killed.
 */
const watchService = `{ read -r _ <&6 || kill -KILL 0; } 7<&- &
service=$!`;

const takeProgram = `cat <&7 >"$SCRATCH/program"
exec 7<&-`;

/**
 * Prepares the folders of one program and runs bubblewrap in them. It runs as root of a mount namespace of its own: with a
 * user namespace of an ordinary user, or as real root, who gives up all rights before bubblewrap starts.
 * - The workspace is an overlay: links to the stored contents below, what the program writes above, in memory. The stored
 *   contents cannot be changed, nothing is copied, and nothing is left when the processes are killed.
 * - The scratch folder is a tmpfs with limits on bytes and inodes.
 * - After the program, it waits until the service has read the changes through /proc/PID/root.
 */
export const overlayScript = `set -eu
${watchService}
for group in $GROUPS_OF_SLOT; do echo $$ >"$group"; done
echo 1000 >/proc/self/oom_score_adj
mount -t tmpfs -o "size=$SIZE,nr_inodes=$INODES,mode=0755" scratch "$SCRATCH"
cd "$SCRATCH"
umask 000
mkdir root changes internal work tmp shm
umask 022 # the program's, too
mount --rbind "$ROOT" root
cd "$FOLDER"
mount -t overlay -o "lowerdir=$FILES,upperdir=$SCRATCH/changes,workdir=$SCRATCH/internal,$OPTIONS" workspace "$SCRATCH/work"
${takeProgram}
${runBwrap}`;

/** Without mounts: the workspace is a folder with copies. For machines that let bubblewrap alone make namespaces. */
export const copyScript = `set -eu
${watchService}
for group in $GROUPS_OF_SLOT; do echo $$ >"$group"; done
echo 1000 >/proc/self/oom_score_adj
${takeProgram}
${runBwrap}`;

/**
 * Options of the overlay. Without them, a renamed folder would be a redirect that the listing of changes does not see. An
 * ordinary user's overlay never makes redirects, and refuses the options.
 */
export const overlayOptions = {
  root: "redirect_dir=off,metacopy=off,index=off,xino=off",
  user: "userxattr,index=off,xino=off",
};
