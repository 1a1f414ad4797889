import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";
import { virtualEnvironment } from "../support/python.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
/** KiB of address space. For each transaction, moto copies all tables: without a limit, it took 23.5 GB. */
const maxKilobytes = 3_000_000;

export interface MotoServer {
  url: string;
  close(): Promise<void>;
}

/** Starts moto's server, with nothing in it. */
export async function startMoto(): Promise<MotoServer> {
  const programs = await virtualEnvironment(join(here, "../../.moto-test"), join(here, "requirements.txt"));
  const port = await freePort();
  const command = `ulimit -v ${maxKilobytes} && exec "$0" "$@"`;
  const child = spawn("sh", ["-c", command, join(programs, "python"), join(here, "server.py"), String(port)], {
    stdio: "ignore",
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  while (child.exitCode === null) {
    const answer = await fetch(`${url}/moto-api/`).catch(() => undefined);
    if (answer) break;
    await sleep(100);
  }
  if (child.exitCode !== null) throw new Error(`moto's server ended with ${child.exitCode}`);
  return {
    url,
    async close() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
