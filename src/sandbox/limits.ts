const megabyte = 1024 * 1024;

/** Limits of one program in the sandbox. */
export const sandboxLimits = {
  defaultSeconds: 10,
  maxSeconds: 60,
  /** Bytes of all files of a request, and of all files of a result. */
  filesBytes: 32 * megabyte,
  /** Files that one program may write. */
  writtenFiles: 50,
  /** Characters that a program may print. A program that prints more is stopped. */
  outputCharacters: 100_000,
  /** Time limit for reading one PDF or DOCX document. */
  documentSeconds: 30,
};
