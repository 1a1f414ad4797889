const megabyte = 1024 * 1024;

/** Limits of one program in the sandbox. */
export const sandboxLimits = {
  /** On a table of 30 MB, sort, awk and sed take 9 s each, and a loop over its 200,000 lines 17 s. */
  defaultSeconds: 30,
  maxSeconds: 60,
  /** Bytes of all files of a request, and of all files of a result. */
  filesBytes: 32 * megabyte,
  /** Files that one program may write. */
  writtenFiles: 50,
  /** Characters of a program's output that are returned. */
  outputCharacters: 100_000,
  /** Time limit for reading one document. */
  documentSeconds: 30,
};

/** Bytes of one file that Python can open, and of one value or one command's output in the shell. */
export const bridgeBytes = 64 * megabyte;
