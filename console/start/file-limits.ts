/** Limits of a new run, from `GET /me`. */
export interface Limits {
  /** Number of files. */
  files: number;
  /** Bytes of all files together. */
  file_bytes: number;
}

export interface ChosenFile {
  name: string;
  size: number;
}

export interface FileCheck {
  /** Bytes of all files. */
  bytes: number;
  /** By file: what is too much about it. Undefined: nothing. */
  problems: (string | undefined)[];
  /** What to do about the number of files. Undefined: within the limit. */
  countProblem: string | undefined;
  /** What to do about their size. */
  sizeProblem: string | undefined;
}

/** Compares files with the limits before they are sent. A file is too much if those before it would fit alone. */
export function checkFiles(files: readonly ChosenFile[], limits: Limits): FileCheck {
  let bytes = 0;
  const problems = files.map(({ name, size }, index) => {
    bytes += size;
    if (files.findIndex((each) => each.name === name) < index) return "same name as another file";
    if (index >= limits.files) return `file ${index + 1} of ${limits.files}`;
    const over = Math.min(bytes - limits.file_bytes, size);
    return over > 0 ? `${sizeText(over)} too much` : undefined;
  });
  const surplus = files.length - limits.files;
  return {
    bytes,
    problems,
    countProblem: surplus > 0 ? `${files.length} of ${limits.files} files: remove at least ${surplus}` : undefined,
    sizeProblem: bytes > limits.file_bytes ? sizeProblem(bytes, limits.file_bytes) : undefined,
  };
}

/** `10.6 of 10 MiB: remove at least 0.6 MiB`. */
function sizeProblem(bytes: number, limit: number): string {
  const [sum, most] = [sizeText(bytes), sizeText(limit)];
  const shown = sum.endsWith("MiB") && most.endsWith("MiB") ? sum.slice(0, -4) : sum;
  return `${shown} of ${most}: remove at least ${sizeText(bytes - limit)}`;
}

const kibibyte = 1_024;
const mebibyte = 1_048_576;

/** A size, rounded up, so that removing "at least 0.6 MiB" is enough. */
function sizeText(bytes: number): string {
  if (bytes < kibibyte) return `${bytes} B`;
  if (bytes < mebibyte / 10) return `${Math.ceil(bytes / kibibyte)} KiB`;
  return `${(Math.ceil((bytes / mebibyte) * 10) / 10).toFixed(1).replace(/\.0$/, "")} MiB`;
}
