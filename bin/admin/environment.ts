import { type Command, Option } from "commander";
import { layout } from "../../src/layout.ts";
import { environmentsFolder, listEnvironments, readEnvironment } from "../../src/sandbox/linux/environments.ts";
import type { InstalledEnvironment } from "../../src/sandbox/linux/environments.ts";
import { CliError, type Io } from "../cli.ts";
import { printable, printableJson } from "../printable.ts";
import { builders } from "./environment/builders.ts";
import { type Checks, checkEnvironment } from "./environment/check.ts";
import { forms, installEnvironment, type InstallRequest, removeEnvironment } from "./environment/install.ts";
import { onInterrupt } from "./interruption.ts";
import { type Output, record, rowsText } from "./output.ts";

interface InstallOptions {
  name: string;
  file?: string;
  with?: string;
  as?: string;
  check?: true;
}

/** Commands for the Linux environments of this machine. They use no data directory. */
export function addEnvironmentCommands(program: Command, io: Io): void {
  const environment = program
    .command("environment")
    .description("Manage the Linux environments of this machine, in which agents run shell and Python programs.");
  const print = (command: Command, output: Output): void => {
    io.out(command.optsWithGlobals<{ json?: true }>().json ? printableJson(output.json) : output.text);
  };
  environment
    .command("install")
    .description("Build an environment and install it: the default one, or that of a Dockerfile.")
    .option("--name <NAME>", "name in agent files", "linux")
    .option("--file <DOCKERFILE>", "own environment: a Dockerfile with bash, coreutils and Python 3.8 or newer")
    .addOption(new Option("--with <BUILDER>", "what builds it (default: the first that works)").choices(builders))
    .addOption(
      new Option("--as <FORM>", "folder for bubblewrap, image for docker and podman (default: what fits)").choices(
        forms,
      ),
    )
    .option("--check", "install nothing; check that the environment works and matches this release (exit code 0 or 1)")
    .action(async (options: InstallOptions, command: Command) => {
      const place = { environments: folderFor(command), sources: layout().environment };
      if (!options.check) return print(command, await install(options, place, io));
      const checks = await checkEnvironment(requestOf(options), place);
      print(command, checksOf(checks));
      if (!checks.ok) throw new CliError(problemsOf(checks));
    });
  environment
    .command("list")
    .description("List the installed environments.")
    .action((_options: object, command: Command) => {
      const folder = folderFor(command);
      const rows = listEnvironments(folder).map((name) => rowOf(folder, name));
      const empty = `No environments in ${folder}. Install one: environment install`;
      print(command, { text: rowsText(rows, ["name", "system", "python", "used as", "digest"], empty), json: rows });
    });
  environment
    .command("show")
    .description("Show the programs and libraries of an environment.")
    .argument("<NAME>")
    .action((name: string, _options: object, command: Command) => {
      const folder = folderFor(command);
      const found = readEnvironment(folder, name);
      if (!found) throw new CliError(`there is no environment ${name} in ${folder}; see environment list`);
      print(command, recordOf(found));
    });
  environment
    .command("remove")
    .description("Remove an environment.")
    .argument("<NAME>")
    .action(async (name: string, _options: object, command: Command) => {
      const { facts } = await removeEnvironment(name, folderFor(command));
      print(command, { text: `Removed ${facts.name}.`, json: { removed: facts.name } });
    });
}

function requestOf({ name, file, with: builder, as: form }: InstallOptions): InstallRequest {
  return { name, file, builder, form } as InstallRequest;
}

async function install(
  options: InstallOptions,
  place: Parameters<typeof checkEnvironment>[1],
  io: Io,
): Promise<Output> {
  const started = Date.now();
  process.umask(0o022); // other users build the environment, and run its programs
  using interruption = onInterrupt(["SIGINT", "SIGTERM", "SIGHUP"]);
  const report = (line: string): void => io.err(printable(line));
  const installed = await installEnvironment(requestOf(options), { ...place, report, signal: interruption.signal });
  io.err(`Installed in ${Math.round((Date.now() - started) / 1000)} seconds. Restart a service that runs now.`);
  return recordOf(installed);
}

/** The folder of this machine's environments. Throws for a stack. */
function folderFor(command: Command): string {
  if (command.optsWithGlobals<{ stack?: string }>().stack !== undefined) {
    throw new CliError("environments of a stack are built when it is deployed; this command is for one machine");
  }
  return environmentsFolder(process.env);
}

function rowOf(folder: string, name: string): Record<string, string | undefined> {
  try {
    const found = readEnvironment(folder, name);
    if (!found) return { name, system: "is being removed" };
    const { facts } = found;
    return {
      name,
      system: facts.system,
      python: facts.python.version,
      "used as": useOf(found),
      digest: facts.digest.slice(0, 19),
    };
  } catch (error) {
    return { name, digest: (error as Error).message };
  }
}

function recordOf(environment: InstalledEnvironment): Output {
  const { facts } = environment;
  const { text } = record({
    name: facts.name,
    digest: facts.digest,
    system: facts.system,
    "used as": useOf(environment),
    programs: versions(facts.programs),
    python: facts.python.version,
    libraries: versions(facts.python.libraries),
  });
  const where =
    "root" in environment ? { root: environment.root } : { image: environment.image, engine: environment.engine };
  return { text, json: { ...facts, ...where } };
}

function checksOf(checks: Checks): Output {
  const rows = [...checks.environment, ...checks.installation];
  const text = rowsText(
    rows.map(({ name, ok, found }) => ({ check: name, ok: ok ? "yes" : "no", found })),
    ["check", "ok", "found"],
    "",
  );
  return { text, json: checks };
}

/** The error of a check that failed. */
function problemsOf({ environment, installation }: Checks): string {
  const problems = environment.filter(({ ok }) => !ok).map(({ found }) => found);
  const disk = installation.filter(({ name, ok }) => name === "disk" && !ok).map(({ found }) => found);
  const canBuild = installation.some(({ name, ok }) => name !== "disk" && ok);
  const builder = canBuild ? [] : ["no builder works here: see the lines above"];
  return [...problems, ...builder, ...disk].join("; ");
}

function useOf(environment: InstalledEnvironment): string {
  return "root" in environment ? `folder ${environment.root}` : `image ${environment.image} of ${environment.engine}`;
}

function versions(found: Record<string, string>): string {
  return Object.entries(found)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}
