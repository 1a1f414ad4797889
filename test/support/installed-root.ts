import { environmentsFolder, readEnvironment } from "../../src/sandbox/linux/environments.ts";

/** Root file system of the installed environment. Undefined: none is installed on this machine. */
export function installedRoot(): string | undefined {
  const environment = readEnvironment(environmentsFolder(process.env), "linux");
  return environment && "root" in environment ? environment.root : undefined;
}
