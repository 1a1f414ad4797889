const megabyte = 1024 * 1024;

/** Limits of one program in the sandbox. */
export const sandboxLimits = {
  defaultSeconds: 30,
  maxSeconds: 60,
  /** Bytes of all files of a request, and of all files of a result. */
  filesBytes: 32 * megabyte,
  /** Files that one program may write. */
  writtenFiles: 500,
  /** Characters of a program's output that are returned. */
  outputCharacters: 100_000,
  /** Time limit for reading one document. */
  documentSeconds: 30,
  /** Time limit for checking one result against its schema. */
  resultSeconds: 5,
  /** Longest wait for a place: that of sixteen programs of one answer, two at a time, with a minute for each, and more. */
  waitSeconds: 600,
  /** Memory of Python in WebAssembly. `python.wasm` declares this maximum. */
  pythonMegabytes: 512,
};
