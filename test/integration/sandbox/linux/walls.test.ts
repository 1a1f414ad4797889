import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import type { Attack } from "./attacks/attacks.ts";
import { files } from "./attacks/files.ts";
import { network } from "./attacks/network.ts";
import { privileges } from "./attacks/privileges.ts";
import { proc } from "./attacks/proc.ts";
import { processes } from "./attacks/processes.ts";
import { systemCallProgram, systemCalls } from "./attacks/system-calls.ts";
import { openEngine, reasonToSkip } from "./engine.ts";
import { runWithout, type Wall } from "./without-wall.ts";

const engine = await openEngine();
const helpers = readFileSync(new URL("./attacks/attack.py", import.meta.url), "utf8");
const attacks: Attack[] = [...privileges, ...proc, ...network, ...processes, ...files];

afterAll(() => "close" in engine && engine.close());

async function outputWithout(wall: Wall, attack: Pick<Attack, "text" | "language" | "files">): Promise<string> {
  if ("unavailable" in engine) throw new Error(engine.unavailable);
  return runWithout(wall, engine.root, { ...attack, files: { ...attack.files, "attack.py": helpers } });
}

/** Attacks that must notice that a wall is missing, by the beginning of their titles. */
const noticed: [Wall, string[]][] = [
  ["filter", ["has no capabilities", "cannot remove its filter", "raw and packet sockets", "TIOCSTI"]],
  ["network", ["the only interface", "no address can be reached"]],
  ["processes", ["only the sandbox's own processes", "the parent is process 1"]],
  ["read-only", ["every mount ignores", "nothing outside of the workspace", "no file of its own process"]],
  ["environment", ["no variable of the service"]],
  ["capabilities", ["has no capabilities", "unshare and nested"]],
];

describe.skipIf("unavailable" in engine).each(noticed)(
  `bubblewrap without: %s${reasonToSkip(engine)}`,
  (wall, titles) => {
    it.each(titles)("the attack notices it: %s …", async (title) => {
      const attack = attacks.find((each) => each.title.startsWith(title));
      if (!attack) throw new Error(`there is no attack ${title}`);
      process.env["AGENT_SECRET_TOKEN"] = "secret";
      const output = await outputWithout(wall, attack);
      delete process.env["AGENT_SECRET_TOKEN"];
      expect(output).not.toContain("bwrap:"); // it did start
      if (typeof attack.output === "string") expect(output).not.toBe(attack.output);
      else expect(output).not.toMatch(attack.output);
    });
  },
);

describe.skipIf("unavailable" in engine)(`bubblewrap without the filter${reasonToSkip(engine)}`, () => {
  it("answers other than refused to most of the refused calls", async () => {
    // Stopping process 1 would stop the sandbox: then nothing ends it.
    const harmless = systemCalls.filter(([name]) => !name.includes("process 1"));
    const output = await outputWithout("filter", { language: "python", text: systemCallProgram(harmless) });
    const differing = harmless.filter(([name, , , , error]) => !output.includes(`${name} ${error}\n`));
    console.log(`differ without the filter: ${differing.map(([name]) => name).join(", ")}`);
    // The kernel itself refuses the others, because the program has no capabilities.
    expect(differing.length).toBeGreaterThan(30);
  });
});

describe.skipIf("unavailable" in engine)(`bubblewrap without a network namespace${reasonToSkip(engine)}`, () => {
  it("lets a program connect to this process", async () => {
    const server = createServer((socket) => socket.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const text = `import socket\nprint(socket.create_connection(("127.0.0.1", ${port})).recv(9))`;
    expect(await outputWithout("network", { language: "python", text })).toContain("reached");
    server.close();
  });
});
