import { readFileSync } from "node:fs";
import { isObject } from "../../src/json.ts";
import { CliError } from "../cli.ts";

/** The arguments of `npm run deploy`. */
export interface Arguments {
  /** Write the templates and the functions' code to a folder, and deploy nothing. */
  templateOnly: boolean;
  /** Folder of an assembly that `--template-only` has written: deploy it. */
  assembly: string | undefined;
  /** For CDK, with the settings of a file as `--context`. */
  cdk: string[];
}

/** What an assembly has decided. */
const withoutEffect = new Set(["--settings", "--template-only", "--context", "-c", "--app", "-a", "--output", "-o"]);

/** Reads the arguments, and the file of `--settings`. Throws if they contradict each other, or the file is no such file. */
export function readArguments(given: string[]): Arguments {
  const { values: files, rest: withoutSettings } = take(given, "--settings");
  const { values: assemblies, rest } = take(withoutSettings, "--assembly");
  const templateOnly = rest.includes("--template-only");
  const cdk = rest.filter((arg) => arg !== "--template-only");
  if (files.length > 1) throw new CliError("--settings was given twice; put all settings into one file");
  const [assembly] = assemblies;
  if (assembly !== undefined) {
    const conflict = given.find((arg) => withoutEffect.has(arg.split("=")[0] ?? ""));
    if (conflict !== undefined) {
      throw new CliError(
        `${conflict} has no effect with --assembly, which has its settings; write the assembly again with it`,
      );
    }
  }
  const [file] = files;
  return { templateOnly, assembly, cdk: file === undefined ? cdk : [...settingsOf(file), ...cdk] };
}

/** The values of an option, `--name value` or `--name=value`, and the other arguments. */
function take(args: string[], option: string): { values: string[]; rest: string[] } {
  const [values, rest]: [string[], string[]] = [[], []];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === option) {
      const value = args[++index];
      if (value === undefined || value.startsWith("-")) throw new CliError(`${option} needs a value; see --help`);
      values.push(value);
    } else if (arg.startsWith(`${option}=`)) values.push(arg.slice(option.length + 1));
    else rest.push(arg);
  }
  return { values, rest };
}

/** The settings in a JSON file as arguments. They come before others, which override them. */
function settingsOf(file: string): string[] {
  let settings: unknown;
  try {
    settings = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CliError(
      `the settings in ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const accepted = 'an object with the settings of docs/deploying.md, such as {"stage": "prod", "retentionDays": 30}';
  if (!isObject(settings)) throw new CliError(`${file} has no settings; accepted: ${accepted}`);
  return Object.entries(settings).flatMap(([name, value]) => {
    if (typeof value !== "string" && typeof value !== "number") {
      throw new CliError(`${file}: ${name} is ${JSON.stringify(value)}; accepted: texts and numbers, in ${accepted}`);
    }
    return ["--context", `${name}=${value}`];
  });
}
