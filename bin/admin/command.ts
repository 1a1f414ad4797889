import type { Stores, Workflow } from "../../src/runs/ports.ts";

/** What the commands work on: the data of one service, wherever it lives. */
export interface Home extends Stores {
  workflow: Workflow;
  /** Why the service can't use a secret by this name (`env:NAME` and so on), as a sentence; undefined when it can. */
  secretProblem(secret: string): Promise<string | undefined>;
  close(): void;
}

/** What a command prints: `text` for people, `json` for programs (`--json`). */
export interface Output {
  text: string;
  json: unknown;
}

/** An option of a command. Without `value` it is a flag. */
export interface Option {
  /** What stands for the value in the help, as in `--agent ID`. */
  value?: string;
  required?: true;
}

/** What was given to a command, already checked against what it takes. */
export interface Given {
  /** The operand: an id, a hash or a hint. Empty for commands that take none. */
  operand: string;
  options: Record<string, string | undefined>;
  flags: Set<string>;
}

export interface Command {
  noun: string;
  verb: string;
  summary: string;
  /** What its one operand is, as in `org show ID`. */
  operand?: string;
  options?: Record<string, Option>;
  /** Works where there is no data yet, too. */
  needsNoData?: true;
  /** What is printed; a command that goes on prints one after the other. */
  run: (home: Home, given: Given) => Promise<Output | AsyncIterable<Output>>;
}

/** Something was refused. The message is one line: what was wrong, what was received, what to do. */
export class Problem extends Error {}

/** The value of an option that the command requires. */
export function required(given: Given, option: string): string {
  const value = given.options[option];
  if (value === undefined) throw new Problem(`--${option} is missing; --help shows what each command takes`);
  return value;
}

/** Ids are stored in lower case; people paste them as they come. */
export function normalId(id: string): string {
  return id.trim().toLowerCase();
}
