import { afterAll, describe, expect, it } from "vitest";
import { comparable } from "./agreement.scenario.ts";
import { openEngine, reasonToSkip } from "./engine.ts";
import { runOutside } from "./outside.ts";
import { singlePrograms } from "./single-programs.ts";

const engine = await openEngine();
afterAll(() => "close" in engine && engine.close());

describe.skipIf("unavailable" in engine)(`one program of a call${reasonToSkip(engine)}`, () => {
  it.each(singlePrograms)("$title", async (program) => {
    if ("unavailable" in engine) return;
    const [inside, outside] = await Promise.all([engine.run(program), runOutside(engine.root, program)]);
    expect([comparable(inside.output), inside.exitCode]).toEqual([comparable(outside.output), outside.exitCode]);
    expect(inside.problem === undefined).toBe(inside.exitCode === 0);
  });
});
