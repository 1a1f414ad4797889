import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sandboxLimits } from "../../../src/sandbox/program-limits.ts";
import { pdf } from "../../fixtures/documents.ts";
import { hostileDocuments } from "../../fixtures/hostile-documents.ts";
import { startAdvance } from "./advance-process.ts";

/** One that takes all of the 30 seconds of a document, and one that takes all memory. */
const read = new Set(["eight million nested elements", "one text of 50 MB"]);

describe("advance, as deployed", () => {
  let advance: Awaited<ReturnType<typeof startAdvance>>;
  beforeAll(async () => {
    advance = await startAdvance();
  });
  afterAll(() => advance.close());

  it.each(hostileDocuments.filter(({ name }) => read.has(name)))(
    "ends the turn of a hostile document: $kind, $name",
    async ({ content }) => {
      const { status, output } = await advance.read(content());
      expect(status).toBe("finished");
      expect(output).toMatch(
        /It says: .*document is a .* of \d+ bytes.*(reading it took more than 30 seconds|reading it needed more|the sandbox process ended)/s,
      );
    },
  );

  it("then reads another document, and has used little memory", async () => {
    const { status, output } = await advance.read(pdf("Hello"));
    expect([status, output]).toEqual(["finished", expect.stringContaining("Hello")]);
    if (process.platform !== "linux") return;
    const peak = advance.peakMemory();
    expect(peak.advance).toBeLessThan(400);
    expect(peak.documents).toBeLessThan(400);
  });

  it("reads a document that does not fit into a message of Lambda, and leaves no copy of it", async () => {
    advance.messages.length = 0;
    const noise = randomBytes(sandboxLimits.filesBytes - 1_000).toString("latin1");
    const large = Buffer.concat([pdf("Large"), Buffer.from(`\n%${noise.replaceAll(/[\r\n%]/g, ".")}`, "latin1")]);
    const { status, output } = await advance.read(large);
    expect([status, output]).toEqual(["finished", expect.stringContaining("Large")]);
    expect(advance.messages).toHaveLength(2);
    for (const length of advance.messages) expect(length).toBeLessThan(10_000);
    expect(advance.objectKeys().filter((key) => key.startsWith("staging/"))).toEqual([]);
    if (process.platform === "linux") expect(advance.peakMemory().advance).toBeLessThan(700);
  });
});
