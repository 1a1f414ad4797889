import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleDocuments } from "../../../lib/bundling.ts";
import type { DocumentKind } from "../../../src/documents/document-kind.ts";
import { localSandbox } from "../../../src/platform/local/sandbox.ts";
import { childProcessSandbox } from "../../../src/sandbox/child-process.ts";
import { sandboxDocumentReader } from "../../../src/sandbox/document-reader.ts";
import { sandboxLimits } from "../../../src/sandbox/limits.ts";
import { docx, officeFile, pdf } from "../../fixtures/documents.ts";
import type { HostileDocument } from "../../fixtures/hostile-documents.ts";
import { startAdvance } from "./advance-process.ts";

const neverAborts = new AbortController().signal;

interface Options {
  /** Time limit of a document. `advance` has its own limit of 30 seconds. */
  seconds: number;
  documents: HostileDocument[];
  /** Names of the documents that `advance` reads. */
  read: string[];
}

export function describeHostileDocuments({ seconds, documents, read }: Options): void {
  describe.each(["local", "aws"])("the document reader of the platform %s", (platform) => {
    const folder = mkdtempSync(join(tmpdir(), "hostile-documents-"));
    const sandbox =
      platform === "local"
        ? localSandbox()
        : childProcessSandbox({ program: join(folder, "child.mjs"), readable: [folder], maxProcesses: 2 });
    beforeAll(() => bundleDocuments(folder));
    afterAll(() => {
      sandbox.close();
      rmSync(folder, { recursive: true });
    });
    const readInSandbox = (engine: DocumentKind, content: Uint8Array) =>
      sandbox.run({ engine, program: "", files: [{ name: "document", content }], seconds }, neverAborts);

    it.each<[DocumentKind, Buffer, unknown]>([
      ["pdf", pdf("Hello"), "[Page 1 of 1]\nHello"],
      ["zip", docx("Hello"), "Hello"],
      ["zip", officeFile("odfpy.ods"), "[Sheet 1 of 1: Data]\n|  | A |\n| --- | --- |\n| 1 | a |\n| 2 | 2.5 |"],
      ["zip", officeFile("odfpy.odt"), expect.stringContaining("# Report\nBy odfpy.")],
      ["rtf", Buffer.from(String.raw`{\rtf1 Hello}`), "Hello"],
      ["eml", Buffer.from("Subject: a\r\n\r\nHello"), "Subject: a\n\nHello"],
      ["html", Buffer.from("<h1>Hello</h1>"), "# Hello"],
    ])("reads %s: %#", async (kind, content, text) => {
      expect(await readInSandbox(kind, content)).toMatchObject({ output: text });
    });

    it("reads a part", async () => {
      const reader = sandboxDocumentReader(sandbox);
      const part = await reader("zip", officeFile("odfpy.ods"), neverAborts, "Data!A2");
      expect(part).toEqual({ text: "[Sheet 1 of 1: Data]\n|  | A |\n| --- | --- |\n| 2 | 2.5 |" });
      expect(await reader("pdf", pdf("One.", "Two."), neverAborts, "3")).toEqual({
        problem: 'there is no page "3"; accepted as part: "1-2"',
      });
    });

    it.each(documents)(`is stopped within ${seconds} s: $kind, $name`, async ({ kind, content }) => {
      const bytes = content();
      await readInSandbox("pdf", pdf("warm")); // a process is ready, so that the time does not include its start
      const started = performance.now();
      const { problem, output } = await readInSandbox(kind, bytes);
      expect(performance.now() - started).toBeLessThan((seconds + 5) * 1_000);
      expect(problem).toMatch(/^The program was stopped|^The sandbox process ended/);
      expect(output).toBe("");
    });
  });

  describe("advance, as deployed", () => {
    let advance: Awaited<ReturnType<typeof startAdvance>>;
    beforeAll(async () => {
      advance = await startAdvance();
    });
    afterAll(() => advance.close());

    it.each(documents.filter(({ name }) => read.includes(name)))(
      "ends the turn of a hostile document: $kind, $name",
      { timeout: 120_000 },
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
}
