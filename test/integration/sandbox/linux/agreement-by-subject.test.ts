import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { comparable, describeAgreement } from "./agreement.scenario.ts";
import { openEngine, reasonToSkip } from "./engine.ts";
import { runOutside } from "./outside.ts";
import { subjectScripts } from "./scripts.ts";
import { singlePrograms } from "./single-programs.ts";

await describeAgreement(subjectScripts);

let engine = await openEngine();
const skipped = "unavailable" in engine;
if ("close" in engine) engine.close(); // the tests above close the control groups that engines of a process share
beforeAll(async () => {
  engine = await openEngine();
});
afterAll(() => "close" in engine && engine.close());

describe.skipIf(skipped)(`one program of a call${reasonToSkip(engine)}`, () => {
  it.each(singlePrograms)("$title", async (program) => {
    if ("unavailable" in engine) return;
    const [inside, outside] = await Promise.all([engine.run(program), runOutside(engine.root, program)]);
    expect([comparable(inside.output), inside.exitCode]).toEqual([comparable(outside.output), outside.exitCode]);
    expect(inside.problem === undefined).toBe(inside.exitCode === 0);
  });
});
