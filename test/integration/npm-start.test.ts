import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { root } from "./script.ts";
import { newDataDir, startService } from "./service.ts";

// The script is `exec node …`: dash would otherwise stay between npm and the server and not forward signals.
test.skipIf(process.platform === "win32").each([
  ["SIGTERM to npm", "SIGTERM", "npm"],
  ["Ctrl-C (SIGINT to the process group)", "SIGINT", "group"],
] as const)(
  "npm start: %s stops the service, and its data directory is free",
  { timeout: 60_000 },
  async (_, signal, to) => {
    const dataDir = newDataDir();
    const npm = spawn("npm", ["start", "--silent", "--", "--json", "--port", "0", "--data-dir", dataDir], {
      cwd: root,
      detached: true, // in a separate process group
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { pid = 0 } = npm;
    try {
      const lines = createInterface(npm.stdout)[Symbol.asyncIterator]();
      const { base_url } = JSON.parse(String((await lines.next()).value)) as { base_url: string };
      const exited = new Promise((resolve) => npm.once("exit", resolve));
      process.kill(to === "group" ? -pid : pid, signal);
      expect(await Promise.race([exited, sleep(10_000, "npm is still running")])).toBe(0);
      await expect(fetch(`${base_url}/v1/openapi.json`)).rejects.toThrow("fetch failed");
      await using next = await startService(dataDir);
      expect(next.baseUrl).not.toBe(base_url);
    } finally {
      try {
        process.kill(-pid, "SIGKILL");
      } catch {
        // the group has ended
      }
    }
  },
);
