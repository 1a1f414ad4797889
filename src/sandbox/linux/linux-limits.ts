const megabyte = 1024 * 1024;

/** Limits of one program of a Linux environment. */
export interface LinuxLimits {
  /** Resident memory of all processes together, with their files in /tmp and new files of the workspace. Bytes. */
  memoryBytes: number;
  /** Processes and threads. */
  processes: number;
  /** Open files of one process. */
  openFiles: number;
  /** Bytes of all new and changed files, those in /tmp and /dev/shm included. */
  diskBytes: number;
  /** Files and folders that the program can create. */
  inodes: number;
  /** Bytes of one file. */
  fileBytes: number;
  /** Files of a workspace. */
  files: number;
  /** Characters of output. A program that prints more is stopped. */
  outputCharacters: number;
}

export const linuxLimits: LinuxLimits = {
  memoryBytes: 2048 * megabyte,
  // Python with 64 worker processes, or a compiler with 100, fits. A fork bomb of 256 processes harms nobody.
  processes: 256,
  openFiles: 4_096,
  diskBytes: 1024 * megabyte,
  // An inode takes about 1 KB of kernel memory: 64 MB of tmpfs without this limit took 256 MB.
  inodes: 50_000,
  fileBytes: 200 * megabyte,
  files: 2_000,
  outputCharacters: 10_000_000,
};

/** Time limits of a program in seconds, by the clock. */
export const programSeconds = { defaultSeconds: 120, maxSeconds: 600 };
