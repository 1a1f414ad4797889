import { afterAll, describe, expect, it } from "vitest";
import { openEngine, reasonToSkip } from "./engine.ts";

const outputCharacters = 100_000;
const engine = await openEngine({ outputCharacters });

afterAll(() => "close" in engine && engine.close());

const printing = (characters: number) => `echo kept > result.txt; head -c ${characters} /dev/zero | tr '\\0' x`;

describe.skipIf("unavailable" in engine)(`the output of a program${reasonToSkip(engine)}`, () => {
  it("is returned up to the limit", async () => {
    if ("unavailable" in engine) return;
    const result = await engine.run({ text: printing(outputCharacters) });
    expect(result).toMatchObject({ exitCode: 0, changed: [{ name: "result.txt" }] });
    expect(result.output).toHaveLength(outputCharacters);
  });

  // The program has ended before the service has read the last of its output.
  it("over the limit by one character at its end is a problem, and nothing is saved", async () => {
    if ("unavailable" in engine) return;
    for (let round = 0; round < 10; round++) {
      const result = await engine.run({ text: printing(outputCharacters + 1) });
      expect(result.problem).toMatch(/stopped: it printed more than 100000 characters\. No files were saved\./);
      expect(result).toMatchObject({ changed: [], deleted: [] });
      expect(result.output).toHaveLength(outputCharacters);
    }
  });
});
