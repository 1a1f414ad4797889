import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultEnvironment, type EnvironmentFacts } from "../linux-types.ts";

/**
 * A POSIX shell script that prints what a Linux has, as JSON for `parseFacts`, in about half a second.
 * Its arguments are name and digest, both optional: without a digest, it prints one of the description.
 * `folder`: the sources of the environment, `layout().environment`.
 */
export function probeScript(folder: string): string {
  return readFileSync(join(folder, "probe.sh"), "utf8");
}

/** Of a root whose programs have not been asked yet. */
export const unknownFacts: EnvironmentFacts = {
  name: defaultEnvironment,
  digest: "",
  system: "",
  programs: {},
  python: { version: "", libraries: {} },
};

/** Facts as `probe.sh` or the build of an environment wrote them. Throws an Error that says which field is wrong. */
export function parseFacts(json: string): EnvironmentFacts {
  return checkFacts(parseJson(json));
}

/** Checks parsed facts. Throws an Error that says which field is wrong. */
export function checkFacts(value: unknown): EnvironmentFacts {
  const facts = objectOf(value, "the description");
  const python = objectOf(facts.python, "python");
  const digest = textOf(facts.digest, "digest");
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) {
    throw new Error(`digest is "${digest}" instead of "sha256:" and 64 hexadecimal digits`);
  }
  return {
    name: textOf(facts.name, "name"),
    digest,
    system: textOf(facts.system, "system"),
    programs: versionsOf(facts.programs, "programs"),
    python: {
      version: textOf(python.version, "python.version"),
      libraries: versionsOf(python.libraries, "python.libraries"),
    },
  };
}

/** Throws an Error that says what is wrong. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Error(`the description is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`${what} is ${shown(value)} instead of an object`);
}

function textOf(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new Error(`${what} is ${shown(value)} instead of a text`);
}

function versionsOf(value: unknown, what: string): Record<string, string> {
  const versions = Object.entries(objectOf(value, what));
  return Object.fromEntries(versions.map(([name, version]) => [name, textOf(version, `${what}.${name}`)]));
}

/** A value as an error shows it. */
export function shown(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value);
}
