import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { type Flood, floods } from "../integration/sandbox/linux/attacks/resources.ts";
import { openEngine, reasonToSkip } from "../integration/sandbox/linux/engine.ts";

const megabyte = 2 ** 20;
const limits = {
  memoryBytes: 256 * megabyte,
  diskBytes: 128 * megabyte,
  inodes: 5_000,
  processes: 100,
  outputCharacters: 2_000_000,
};
const helpers = readFileSync(new URL("../integration/sandbox/linux/attacks/attack.py", import.meta.url), "utf8");

/**
 * Starts each flood with small limits and a time limit of 4 seconds. It must be ended, the service must not take part in it,
 * and the next call must work.
 */
export async function describeFloods({ withoutGroups }: { withoutGroups: boolean }): Promise<void> {
  const engine = await openEngine(limits, { withoutGroups });
  const where = withoutGroups ? "without control groups" : "with what the machine bounds";

  describe.skipIf("unavailable" in engine)(`floods in bubblewrap ${where}${reasonToSkip(engine)}`, () => {
    afterAll(() => "close" in engine && engine.close());

    it.each(floods)("$title", { timeout: 120_000 }, async ({ language, text, mayEnd }: Flood) => {
      if ("unavailable" in engine) return;
      const files = { "kept.txt": "kept", ...(language === "python" && { "attack.py": helpers }) };
      const before = process.memoryUsage().rss;
      const result = await engine.run({ language, text, files, seconds: 4 });

      if (mayEnd === undefined) expect(result.problem).toMatch(/stopped|exit code/);
      else if (result.problem === undefined) expect(result.output).toMatch(mayEnd);
      expect(result.output.length).toBeLessThanOrEqual(limits.outputCharacters);
      expect(process.memoryUsage().rss - before).toBeLessThan(400 * megabyte);
      const saved = result.changed.reduce((sum, { size }) => sum + size, 0);
      expect(saved).toBeLessThanOrEqual(limits.diskBytes);
      expect(result.deleted).toEqual([]);

      const next = await engine.run({ text: "cat kept.txt; ls -A /tmp | wc -l; ps -e 2>/dev/null | wc -l", files });
      expect(next).toMatchObject({ exitCode: 0, changed: [], deleted: [] });
      expect(next.output).toMatch(/^kept0\n\d+\n$/);
    });
  });
}
