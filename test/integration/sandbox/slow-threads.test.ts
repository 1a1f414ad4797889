import { realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { childProcessSandbox } from "../../../src/sandbox/child-process.ts";
import type { SandboxRequest } from "../../../src/sandbox/types.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Simulates a busy machine: sometimes, a thread is suspended before it notifies the other one or waits for it. */
const suspended = `
  import { isMainThread } from "node:worker_threads";
  const now = performance.now.bind(performance);
  const random = Math.random.bind(Math);
  const call = isMainThread ? "notify" : "wait";
  const original = Atomics[call];
  Atomics[call] = (...values) => {
    const end = now() + (random() < 0.3 ? 0.2 : 0);
    while (now() < end);
    return original(...values);
  };
`;

const manyFiles = `python3 - <<'EOF'
for i in range(500):
    with open("out%d.txt" % (i % 20), "w") as out: out.write(str(i))
    assert open("out%d.txt" % (i % 20)).read() == str(i)
print("done")
EOF`;

it(
  "Python loses no file operation when its thread or the shell's thread is suspended",
  { timeout: 60_000 },
  async () => {
    const packages = join(root, "node_modules");
    const sandbox = childProcessSandbox({
      program: join(root, "src/sandbox/child.ts"),
      readable: [join(root, "src"), join(root, "package.json"), packages, realpathSync(packages)],
      maxProcesses: 1,
      environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(suspended)}` },
    });
    const request: SandboxRequest = { engine: "python", program: manyFiles, files: [], seconds: 40 };
    const { output, problem, written } = await sandbox.run(request, new AbortController().signal);
    sandbox.close();
    expect({ output, problem, files: written.length }).toEqual({ output: "done", problem: undefined, files: 20 });
  },
);
