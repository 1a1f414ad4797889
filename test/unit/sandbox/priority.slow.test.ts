import { spawnSync } from "node:child_process";
import { getPriority } from "node:os";
import { expect, test } from "vitest";

const start = `
  import { spawn } from "node:child_process";
  import { getPriority } from "node:os";
  import { lowerPriority } from ${JSON.stringify(new URL("../../../src/sandbox/priority.ts", import.meta.url).href)};
  const child = spawn("sleep", ["60"]);
  lowerPriority(child);
  console.log(getPriority(child.pid));
  child.kill();
`;

test.each([0, 15])("programs of a service whose priority is %i lower get 10, or that of the service", (lower) => {
  const priority = Math.max(10, Math.min(getPriority() + lower, 19));
  const isRoot = process.getuid?.() === 0;
  const node = [process.execPath, "--input-type=module", "--eval", start];
  const { stdout, stderr } = spawnSync("nice", ["-n", String(lower), ...node], {
    encoding: "utf8",
    cwd: "/",
    ...(isRoot && { uid: 65_534, gid: 65_534 }), // root can raise a priority
  });
  expect({ stdout, stderr }).toEqual({ stdout: `${priority}\n`, stderr: "" });
});
