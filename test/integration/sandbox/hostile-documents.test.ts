import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleDocuments } from "../../../lib/bundling.ts";
import type { DocumentKind } from "../../../src/documents/document-kind.ts";
import { localSandbox } from "../../../src/platform/local/sandbox.ts";
import { childProcessSandbox } from "../../../src/sandbox/child-process.ts";
import { sandboxLimits } from "../../../src/sandbox/program-limits.ts";
import { sandboxDocumentReader } from "../../../src/sandbox/document-reader.ts";
import { docx, officeFile, pdf } from "../../fixtures/documents.ts";
import { hostileDocuments } from "../../fixtures/hostile-documents.ts";

const neverAborts = new AbortController().signal;

/** Time limit of a hostile document in seconds. The others have the usual one, because a machine may be busy. */
const seconds = 1;
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
  const readInSandbox = (engine: DocumentKind, content: Uint8Array, limit = sandboxLimits.documentSeconds) =>
    sandbox.run({ engine, program: "", files: [{ name: "document", content }], seconds: limit }, neverAborts);

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

  // Both platforms read with the same code; that of AWS is what was bundled.
  it.skipIf(platform === "local").concurrent.each(hostileDocuments)(
    `is stopped at a limit of ${seconds} s: $kind, $name`,
    async ({ kind, content }) => {
      const bytes = content();
      const { problem, output } = await readInSandbox(kind, bytes, seconds);
      expect(problem).toMatch(/^The program was stopped|^The sandbox process ended/);
      expect(output).toBe("");
    },
  );
});
