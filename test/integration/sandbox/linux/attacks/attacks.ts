import type { LinuxResult } from "../../../../../src/sandbox/linux/linux-types.ts";

/** A program that tries to do what the sandbox has to prevent. */
export interface Attack {
  title: string;
  /** Python can import `attack.py`. */
  language: "python" | "shell";
  text: string;
  /** Workspace at the start. */
  files?: Record<string, string>;
  /** The whole output, or a pattern that matches it. It is what a prevented attack prints. */
  output: string | RegExp;
  /** Default: 0. */
  exitCode?: number;
  /** Further expectations. */
  check?: (result: LinuxResult) => void | Promise<void>;
}

const lines = (...texts: string[]): string => texts.map((text) => `${text}\n`).join("");

/** `output`: the lines that it prints. */
export const python = (title: string, text: string, ...output: string[]): Attack => ({
  title,
  language: "python",
  text: `from attack import *\n${text}`,
  output: lines(...output),
});

/** `output`: matches what it prints. */
export const pythonMatching = (title: string, text: string, output: RegExp): Attack => ({
  ...python(title, text),
  output,
});

export const shell = (title: string, text: string, ...output: string[]): Attack => ({
  title,
  language: "shell",
  text,
  output: lines(...output),
});
