import { join } from "node:path";
import { root } from "../integration/script.ts";
import { virtualEnvironment } from "../support/python.ts";

export const pythonClient = join(root, "clients/python");

let programs: Promise<string> | undefined;

/** The path of a program of the tier's virtual environment: `python`, `pip`, `mypy`, `ruff`. */
export async function python(program: string): Promise<string> {
  programs ??= virtualEnvironment(join(root, ".clients-test"), join(root, "test/clients/requirements.txt"));
  return join(await programs, program);
}
