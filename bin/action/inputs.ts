import { glob } from "node:fs/promises";

// The action is checked out without node_modules: its program imports no packages.

/** Inputs of the action, from the variables that action.yml sets. */
export interface ActionInputs {
  baseUrl: string;
  apiKey: string;
  input: string;
  name: string;
  /** Paths. */
  files: string[];
  labels: Record<string, string>;
  /** Folder. Undefined: no files are saved. */
  saveFilesTo: string | undefined;
  /** Milliseconds. */
  timeout: number;
}

export type Environment = Record<string, string | undefined>;

/** Readers of the variables of inputs. Blanks around a value are removed. */
export function inputsIn(environment: Environment) {
  const value = (name: string): string => environment[name]?.trim() ?? "";
  return {
    value,
    /** Throws for an empty input. `expected`: what is accepted. */
    required: (name: string, input: string, expected: string): string => {
      if (value(name) === "") throw new Error(`the input '${input}' is empty; expected ${expected}`);
      return value(name);
    },
  };
}

export const addressExpected = "the address of the service, such as https://runs.example.com";

export async function readInputs(environment: Environment): Promise<ActionInputs> {
  const { value, required } = inputsIn(environment);
  return {
    baseUrl: required("AGENT_RUN_URL", "url", addressExpected),
    apiKey: required("AGENT_RUN_KEY", "api-key", "an API key (ak_…). A secret is empty in runs for forks"),
    input: required("RUN_INPUT", "input", "what the agent is to do"),
    name: value("RUN_NAME").slice(0, 200) || "GitHub Actions",
    files: await findFiles(linesOf(value("RUN_FILES"))),
    labels: Object.fromEntries(linesOf(value("RUN_LABELS")).map(labelOf)),
    saveFilesTo: value("SAVE_FILES_TO") || undefined,
    timeout: minutesOf(value("TIMEOUT_MINUTES") || "30") * 60_000,
  };
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** A pattern without a file is an error: the agent would work without what it needs. */
async function findFiles(patterns: string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const paths: string[] = [];
    for await (const path of glob(pattern)) paths.push(path);
    if (paths.length === 0) throw new Error(`no file matches ${JSON.stringify(pattern)}; check the input 'files'`);
    for (const path of paths.toSorted()) found.add(path);
  }
  return [...found];
}

function labelOf(line: string): [string, string] {
  const at = line.indexOf("=");
  if (at < 1) throw new Error(`the label ${JSON.stringify(line)} is not KEY=VALUE; check the input 'labels'`);
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

/** Minutes as an input. */
export function minutesOf(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && minutes <= 360) return minutes;
  throw new Error(`'timeout-minutes' is ${JSON.stringify(text)}; expected minutes, at most 360`);
}
