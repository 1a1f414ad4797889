import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { type Engine, openEngine, reasonToSkip } from "./engine.ts";
import { runOutside } from "./outside.ts";
import type { Script } from "./scripts.ts";

const runner = readFileSync(new URL("agreement.py", import.meta.url), "utf8");

type Ended = [output: string, exitCode: number];

/** Scripts of one call. Two calls at a time keep two processors busy. */
const perCall = 60;

/** Both results of a script, from one call for many of them. */
async function both(engine: Engine, part: Script[]): Promise<{ inside: Ended; outside: Ended }[]> {
  const files = { "scripts.json": JSON.stringify(part.map(({ text }) => text)) };
  const program = { language: "python", text: runner, files } as const;
  const [inside, outside] = await Promise.all([engine.run(program), runOutside(engine.root, program)]);
  expect(inside).toMatchObject({ exitCode: 0, changed: [], notes: [] });
  if (outside.exitCode !== 0) throw new Error(outside.output);
  const [insides, outsides] = [inside, outside].map(({ output }) => JSON.parse(output) as Ended[]);
  return part.map((_, number) => ({
    inside: insides?.[number] ?? ["no result", -1],
    outside: outsides?.[number] ?? ["no other result", -2],
  }));
}

/** Accepted differences: numbers of processes, in bash's reports of ended ones. */
export const comparable = (output: string): string => output.replaceAll(/(line \d+:) +\d+ ([A-Z])/g, "$1 PID $2");

/** Runs scripts in the sandbox and outside of it. The output and the exit code must be the same. */
export async function describeAgreement(scripts: Script[]): Promise<void> {
  const engine = await openEngine();

  describe.skipIf("unavailable" in engine)(`bash in the sandbox${reasonToSkip(engine)}`, { timeout: 60_000 }, () => {
    afterAll(() => "close" in engine && engine.close());

    for (let first = 0; first < scripts.length; first += perCall) {
      const part = scripts.slice(first, first + perCall);
      let results: ReturnType<typeof both> | undefined;
      it.each(part.map(({ title }, number) => [title, number] as const))("%s", async (_, number) => {
        if ("unavailable" in engine) return;
        const { inside, outside } = (await (results ??= both(engine, part)))[number] ?? {};
        expect(inside).toBeDefined();
        expect([comparable(inside?.[0] ?? ""), inside?.[1]]).toEqual([comparable(outside?.[0] ?? ""), outside?.[1]]);
      });
    }
  });
}
