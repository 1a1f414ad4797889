/** Limits of a new run (specification sections 2.2 and 8). Lengths in characters. */
export const newRunLimits = {
  nameLength: 200,
  files: 10,
  /** Of a file's name as the caller gives it. */
  filenameLength: 255,
  /** Combined size of the files, in bytes. */
  fileBytes: 10 * 1024 * 1024,
} as const;
