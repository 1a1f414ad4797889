import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { root } from "./script.ts";
import { newDataDir, startService } from "./service.ts";

/** Starts the service below two shells, like npm and its script shell. `true` keeps a shell from exec-ing its command. */
async function belowShells(dataDir: string) {
  const service = `'${process.execPath}' bin/local.ts --json --port 0 --data-dir '${dataDir}'`;
  const top = spawn("/bin/sh", ["-c", `/bin/sh -c "$SCRIPT"; true`], {
    cwd: root,
    env: { ...process.env, npm_lifecycle_event: "start", SCRIPT: `echo $$; ${service}; true` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(top.stdout)[Symbol.asyncIterator]();
  const shell = Number((await lines.next()).value);
  const { base_url } = JSON.parse(String((await lines.next()).value)) as { base_url: string };
  return { top, shell, baseUrl: base_url };
}

test.skipIf(process.platform === "win32").each(["the shell of its script", "npm"])(
  "the service ends when %s is killed, and a new one opens its data directory",
  async (which) => {
    const dataDir = newDataDir();
    const { top, shell, baseUrl } = await belowShells(dataDir);
    process.kill(which === "npm" ? (top.pid ?? 0) : shell, "SIGKILL");
    await using next = await startService(dataDir);
    expect(next.baseUrl).not.toBe(baseUrl);
    await expect(fetch(`${baseUrl}/v1/openapi.json`)).rejects.toThrow("fetch failed");
  },
);
