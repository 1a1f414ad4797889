const megabyte = 1024 * 1024;

/** Limits of one program in the sandbox. */
export const sandboxLimits = {
  defaultSeconds: 10,
  maxSeconds: 60,
  /** Bytes of all files that go in, and of all that come back. */
  filesBytes: 32 * megabyte,
  /** Files that one program may write. */
  writtenFiles: 50,
  /** Characters that a program may print; one that prints more is ended. */
  outputCharacters: 100_000,
  /** Seconds for reading one PDF or DOCX document. */
  documentSeconds: 30,
};
