/**
 * What attacks print in a container where that differs from bubblewrap: programs have the user number of their slot, not 65534,
 * /proc and /sys are the engine's, and process 1 is a shell of the same user. None of it reaches another program or the host.
 */
export const containerOutputs: Record<string, RegExp> = {
  "cannot become another user or group":
    /^((setuid|seteuid|setresuid|setreuid|setgid|setegid|setgroups|initgroups) EPERM\n){8}False False\n$/,
  "programs with the setuid bit stay without rights": /^0\n\d{3,}\n$/,
  "a copy of a program with the setuid bit is an ordinary program": /^(\d{3,})\n\1\n\1\n$/,
  // Rights of setuid programs are off for all mounts by no-new-privileges. Writable are /work and temporary file systems.
  "every mount ignores setuid bits, and all but the private ones are read-only":
    /^((\/ ro,relatime|\/(run\/script\.sh|run\/python|proc\/[\w-]+|sys[\w/]*) ro,relatime|\/work rw,relatime|\/[\w/-]+)\n)+$/,
  // It types into a terminal that it made itself. The service gives it none.
  "TIOCSTI is refused on a terminal of its own": /^type EPERM\ncontrol and type (EPERM|SUCCEEDED .*)\n$/,
  "device nodes cannot be made":
    /^(\/(work|tmp|dev\/shm) (character|block) EPERM\n){6}(\/dev (character|block) EACCES\n){2}$/,
  // Those that can be written are settings of the process itself.
  "no file of its own process in /proc can be written":
    /^uid_map EPERM\ngid_map EPERM\nsetgroups EACCES\nprojid_map EPERM\n([\w/]+ .*\n){11}$/,
  "the environment of process 1 names no folder of the host": /^\[('HOME=\/\w*')?\]\n$/,
  // The file of the host that it cannot open is one of the container's own root.
  "the memory of process 1 cannot be changed, and its root is the sandbox":
    /^memory (SUCCEEDED 3|E\w+)\nhost E\w+\nTrue\n$/,
  "the command line of process 1 names no folders of the host": /^HOME=\/tmp\nend\n$/,
  "only the sandbox's own processes are visible": /^1\nsh\nsleep\nend\n$/,
  // Hidden, but its mounts are listed.
  "there is no /sys, no control group and no debug file system": /^(\/sys:\n)?(\d+ \d+ .* \/sys.* ro,.*\n)*end\n$/,
  "the memory of its own program can be changed only by itself": /^child's memory E(IO|ROFS)\n$/,
  "names in /proc that point out of the sandbox lead nowhere": /^(\/proc\/(\w|-|\/)+\/root\/var\/lib\/dpkg\n)*end\n$/,
  // Queues of the container's own.
  "nothing outside of the workspace and the temporary folders can be written": /^(\/dev\/mqueue WRITABLE\n)?end\n$/,
  // Folders of the environment's root file system.
  "other folders of the host are not there": /^[\w.-]+(\n[\w.-]+)*\nend\n$/,
};

/**
 * Errors of refused calls in a container where they differ. A profile of podman answers what no rule allows as unknown to the
 * kernel. It does not read the requests of ioctl: programs have no terminal of the service.
 */
export const containerErrors: Record<string, string> = {
  "clone (user namespace)": "ENOSYS",
  "clone (user and mount namespace)": "ENOSYS",
  "clone (network namespace)": "ENOSYS",
  "clone (control group namespace)": "ENOSYS",
  "personality (no randomization)": "ENOSYS",
  "personality (read implies execute)": "ENOSYS",
  "ioctl TIOCSTI": "ENOTTY",
  "ioctl TIOCSTI with high bits": "ENOTTY",
  "ioctl TIOCLINUX": "ENOTTY",
};
