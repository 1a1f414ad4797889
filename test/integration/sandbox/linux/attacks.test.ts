import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Attack } from "./attacks/attacks.ts";
import { files } from "./attacks/files.ts";
import { network } from "./attacks/network.ts";
import { privileges } from "./attacks/privileges.ts";
import { proc } from "./attacks/proc.ts";
import { processes } from "./attacks/processes.ts";
import { familyProgram, refusedFamilies, systemCallProgram, systemCalls } from "./attacks/system-calls.ts";
import { openEngine, reasonToSkip } from "./engine.ts";

const engine = await openEngine();
const helpers = readFileSync(new URL("attacks/attack.py", import.meta.url), "utf8");

afterAll(() => "close" in engine && engine.close());

async function run(attack: Pick<Attack, "language" | "text" | "files">) {
  if ("unavailable" in engine) throw new Error(engine.unavailable);
  const workspace = { ...attack.files, ...(attack.language === "python" && { "attack.py": helpers }) };
  return engine.run({ ...attack, files: workspace, seconds: 30 });
}

/** Lines of a program that makes many attempts, as `rest` by `name`. */
async function linesOf(text: string): Promise<Map<string, string>> {
  const { output, exitCode } = await run({ language: "python", text });
  if (exitCode !== 0) throw new Error(output);
  return new Map(
    output
      .trim()
      .split("\n")
      .map((line): [string, string] => {
        const end = line.lastIndexOf(" ");
        return [line.slice(0, end), line.slice(end + 1)];
      }),
  );
}

describe.skipIf("unavailable" in engine)(`system calls in bubblewrap${reasonToSkip(engine)}`, () => {
  let results: Promise<Map<string, string>> | undefined;
  it.each(systemCalls)("%s fails", async (name, _x64, _arm64, _args, error) => {
    results ??= linesOf(systemCallProgram(systemCalls));
    expect((await results).get(name)).toBe(error);
  });
});

describe.skipIf("unavailable" in engine)(`families of sockets in bubblewrap${reasonToSkip(engine)}`, () => {
  let results: Promise<Map<string, string>> | undefined;
  it.each(refusedFamilies)("family %i cannot be used", async (family) => {
    results ??= linesOf(familyProgram);
    for (const kind of [1, 2, 3, 5]) expect((await results).get(`${family} ${kind}`)).toBe("EAFNOSUPPORT");
  });

  it("no pair of them can be made", async () => {
    results ??= linesOf(familyProgram);
    expect([(await results).get("pair 16"), (await results).get("pair 38")]).toEqual(["EAFNOSUPPORT", "EAFNOSUPPORT"]);
  });
});

describe.skipIf("unavailable" in engine).each([
  ["users, capabilities and namespaces", privileges],
  ["/proc", proc],
  ["the network", network],
  ["processes", processes],
  ["files", files],
] as const)(`attacks on %s in bubblewrap${reasonToSkip(engine)}`, (_, attacks) => {
  it.each(attacks)("$title", async (attack) => {
    const result = await run(attack);
    if (typeof attack.output === "string") expect(result.output).toBe(attack.output);
    else expect(result.output).toMatch(attack.output);
    expect(result.exitCode).toBe(attack.exitCode ?? 0);
    await attack.check?.(result);
  });
});
