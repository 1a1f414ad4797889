import type { Attack } from "./attacks.ts";
import { files } from "./files.ts";
import { network } from "./network.ts";
import { privileges } from "./privileges.ts";
import { proc } from "./proc.ts";
import { processes } from "./processes.ts";

/** The attacks that are made on every engine, by subject. */
export const attackTables: Record<string, Attack[]> = {
  "users, capabilities and namespaces": privileges,
  "/proc": proc,
  "the network": network,
  processes,
  files,
};
