import { join } from "node:path";
import { type Ended, run } from "../deploy/processes.ts";
import { typeCheckers } from "./installations.ts";

/** Programs of the type checkers, in their packages. */
const programs = {
  pyright: "index.js",
  "typescript-5.0": "bin/tsc",
  "typescript-5.4": "bin/tsc",
  "typescript-5.6": "bin/tsc",
};

/** Runs a type checker to its end. */
export async function checkTypes(name: keyof typeof programs, ...args: string[]): Promise<Ended> {
  return run("node", [join(await typeCheckers(), name, programs[name]), ...args]);
}
