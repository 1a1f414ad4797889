import { readFileSync } from "node:fs";
import { isPackage } from "./layout.ts";

/** Commands that messages name. `start` has no name in the package: `npx agent-run-service` starts the service. */
export type CommandName = "start" | "admin" | "console" | "demo";

const scripts: Record<CommandName, string> = {
  start: "npm start",
  admin: "npm run -s admin",
  console: "npm run console",
  demo: "npm run demo",
};

/**
 * A command as a person types it where the program was started: `npm run -s admin -- key list` in a clone,
 * `npx agent-run-service admin key list` with the package. `rest`: arguments and options, quoted for a shell.
 */
export function commandLine(name: CommandName, rest = ""): string {
  if (isPackage) return [packageCommand(), ...(name === "start" ? [] : [name]), rest].filter(Boolean).join(" ");
  return rest === "" ? scripts[name] : `${scripts[name]} -- ${rest}`;
}

/** The beginning of a command, before its arguments: `npm run -s admin --`. */
export function commandPrefix(name: CommandName): string {
  return isPackage ? commandLine(name) : `${scripts[name]} --`;
}

/** The option that names a data directory, after a space. Empty for the default directory. */
export function dataOption(dataDir: string): string {
  return dataDir === ".data" ? "" : ` --data-dir ${shellWord(dataDir)}`;
}

/** A word of a shell command, quoted if it must be, such as a path with spaces. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** `npx` with what it was given: the path of a tarball, or the name of an installed package. */
function packageCommand(): string {
  return `npx ${shellWord(npxSpec() ?? "agent-run-service")}`;
}

/** npx installs into a folder of its cache and notes there what it was asked for. Undefined: installed without npx. */
function npxSpec(): string | undefined {
  try {
    const file = new URL("../../../../package.json", import.meta.url);
    const { _npx } = JSON.parse(readFileSync(file, "utf8")) as { _npx?: { packages: string[] } };
    return _npx?.packages.find((spec) => spec.includes("agent-run-service"));
  } catch {
    return undefined;
  }
}
