import { appendFileSync, writeFileSync } from "node:fs";

/** Lines that `build.sh` prints. Docker puts the number and the time of its own step before them. */
export const stepMark = /environment step: (.+)$/;
const failedMark = /environment step failed: (.+)$/;

/** Lines that say what went wrong, by pip, apt, dpkg, compileall, tar, mmdebstrap and container engines. */
const errorLine = /error|\bE: |\bfailed\b|cannot|no space left|permission denied|not found|could not|unable to/i;
/** pip's errors name what it did not find. That there is no network, it says in warnings of its attempts, before. */
const warning = /^(?:WARNING|W): /;
/** How many lines of output an error shows. */
const shownLines = 4;
/** Of a step's output, how many lines are looked through for errors. */
const keptLines = 2_000;

/** What an installation does: the person sees its steps, and a file has the whole output of its commands. */
export class BuildLog {
  /** Where the output is. Nothing is written before the first line. */
  readonly file: string;
  /** Shows a line to the person. */
  readonly show: (line: string) => void;
  #step = "";
  #lines: string[] = [];
  #hasFailed = false;
  #isEmpty = true;
  #problem: string | undefined;

  constructor(file: string, show: (line: string) => void) {
    this.file = file;
    this.show = show;
  }

  /** Begins a step of the installation, which an error names. */
  step(name: string): void {
    this.show(`${name.charAt(0).toUpperCase()}${name.slice(1)} ...`);
    this.#begin(name);
  }

  /** Begins a part of a step, which an error then names instead. Parts that `add` finds are not shown: engines show all lines. */
  part(name: string): void {
    this.show(`  ${name}`);
    this.#begin(name);
  }

  /** Adds a line of a command's output. */
  add(line: string): void {
    this.#write(line);
    const [, failed] = failedMark.exec(line) ?? [];
    if (failed !== undefined) {
      this.#step = failed;
      this.#hasFailed = true;
      return;
    }
    const [, begun] = stepMark.exec(line) ?? [];
    if (begun !== undefined) {
      this.#begin(begun);
      return;
    }
    // What a builder prints after the failure is its own way out.
    if (this.#hasFailed) return;
    this.#lines.push(line);
    if (this.#lines.length > keptLines) this.#lines.shift();
  }

  /** The current step, and the lines of its output that say what went wrong: else the last ones. */
  failure(): { step: string; lines: string[] } {
    const lines = this.#lines.map((line) => line.trim()).filter((line) => line !== "");
    const about = lines.filter((line) => errorLine.test(line));
    const errors = about.filter((line) => !warning.test(line)).slice(0, shownLines);
    const shown = [...about.filter((line) => warning.test(line)).slice(-1), ...errors];
    return { step: this.#step, lines: shown.length > 0 ? shown : lines.slice(-shownLines) };
  }

  /** Whether a command printed something. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Why the file lacks a part of the output. */
  get problem(): string | undefined {
    return this.#problem;
  }

  #begin(name: string): void {
    if (name === this.#step) return;
    this.#write(`== ${name}`);
    this.#step = name;
    this.#lines = [];
    this.#hasFailed = false;
  }

  #write(line: string): void {
    try {
      if (this.#isEmpty) writeFileSync(this.file, `${line}\n`);
      else appendFileSync(this.file, `${line}\n`);
      this.#isEmpty = false;
    } catch (error) {
      this.#problem = (error as Error).message; // a full disk: the error that follows names it
    }
  }
}
