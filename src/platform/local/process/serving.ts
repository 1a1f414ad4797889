import { closeSync, existsSync, fsyncSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A server that works on the turns of a data directory. */
export interface Serving {
  /** The last server ended without `end`: it was killed, or the machine stopped. */
  killed: boolean;
  /** No turn is in progress any more. */
  end(): void;
}

/** Notes in the data directory that a server works on its turns. Call it while the lock is held. */
export function beginServing(dataDir: string): Serving {
  const file = join(dataDir, "serving");
  const killed = existsSync(file);
  const descriptor = openSync(file, "w", 0o600);
  fsyncSync(descriptor); // a program that stops the whole machine is not run again, either
  closeSync(descriptor);
  return { killed, end: () => rmSync(file, { force: true }) };
}
