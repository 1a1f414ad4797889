import { existsSync } from "node:fs";
import { join } from "node:path";
import { run, succeed } from "../deploy/processes.ts";
import { root } from "../integration/script.ts";
import { npmPackages } from "../support/npm-packages.ts";
import { virtualEnvironment } from "../support/python.ts";
import { python } from "./python.ts";

// What the tier test:clients uses beside this project's packages. It is installed once, until a version changes.

const folder = join(root, ".clients-test");
const generators = join(folder, "generators");
const requirements = (name: string): string => join(root, "test/clients", name);

/** openapi-python-client and pydantic. */
export const pythonGenerators = () =>
  virtualEnvironment(join(generators, "python"), requirements("generator-requirements.txt"));

/** hey-api, and the TypeScript that its clients are for. */
export const typescriptGenerators = () => npmPackages(generators, ["@hey-api/openapi-ts@0.99.0", "typescript@5.9.3"]);

/** Frameworks that use MCP servers. */
export const frameworks = () =>
  virtualEnvironment(join(folder, "frameworks"), requirements("frameworks/requirements.txt"));

/**
 * Libraries of schemas. The e-mail of zod 4.0 has lookaheads, that of 4.6 has none. zod-to-json-schema reads schemas of zod 3,
 * which zod 4 contains.
 */
export const schemaLibraries = () =>
  npmPackages(join(folder, "schemas"), ["zod-4.0@npm:zod@4.0.17", "zod@4.6.7", "zod-to-json-schema@3.25.2"]);

/** Type checkers that users of the clients have, by the name to install them as. */
export const typeCheckers = () =>
  npmPackages(join(folder, "type-checkers"), [
    "pyright@1.1.414",
    "typescript-5.0@npm:typescript@5.0.4",
    "typescript-5.4@npm:typescript@5.4.5",
    "typescript-5.6@npm:typescript@5.6.3",
  ]);

const jar = join(generators, "openapi-generator-cli-7.23.0.jar");

/** The path of openapi-generator, which comes from Maven Central. Undefined: Java or Maven are missing. */
export async function javaGenerator(): Promise<string | undefined> {
  if (!(await works("java", "-version"))) return undefined;
  if (existsSync(jar)) return jar;
  if (!(await works("mvn", "--version"))) return undefined;
  const artifact = "-Dartifact=org.openapitools:openapi-generator-cli:7.23.0";
  await succeed("mvn", ["-q", "dependency:copy", artifact, `-DoutputDirectory=${generators}`]);
  return jar;
}

/** Whether a command can be run. */
export const works = async (command: string, ...args: string[]): Promise<boolean> =>
  run(command, args).then(
    ({ status }) => status === 0,
    () => false,
  );

/** Installs all. */
export async function installAll(): Promise<void> {
  await Promise.all([
    python("python"),
    pythonGenerators(),
    frameworks(),
    javaGenerator(),
    typescriptGenerators().then(schemaLibraries).then(typeCheckers), // npm locks its cache
  ]);
}
