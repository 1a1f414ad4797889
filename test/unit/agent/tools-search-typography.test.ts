import { describe, expect, it } from "vitest";
import { foldText, searchKinds } from "../../../src/documents/encoding/fold-text.ts";
import { readDocument } from "../../../src/documents/read-document.ts";
import { docx, pdf } from "../../fixtures/documents.ts";
import fc from "../../support/properties.ts";
import { allTools, files } from "./scripted.ts";

const tool = allTools({ readDocument }).find(({ definition }) => definition.name === "search_files");

async function search(content: Record<string, string | Buffer>, pattern: string, more = {}): Promise<string> {
  const output = await tool?.run({ pattern, ...more }, { files: files(content), signal: new AbortController().signal });
  return output?.text ?? "";
}

const ignoring =
  "[Matched ignoring blanks, hyphens, quotes, ligatures, Unicode forms, raised and lowered digits: f:1.]";

describe("a search finds a text in other typography, and says so", () => {
  it.each([
    ["a no-break space", "costs 12\u00a0EUR", "12 EUR"],
    ["a narrow one", "costs 12\u202f000", "12 000"],
    ["a non-breaking hyphen", "the e\u2011mail", "e-mail"],
    ["a soft hyphen", "Donau\u00addampf\u00adschiff", "Donaudampfschiff"],
    ["an en dash", "1914–1918", "1914-1918"],
    ["an apostrophe", "it’s", "it's"],
    ["quotes", "“fine”", '"fine"'],
    ["raised and lowered digits", "120 m² of CO₂", "m2 of CO2"],
    ["a ligature", "the o\ufb03ce", "office"],
    ["decomposed letters", "Zoe\u0308", "Zoë"],
    ["composed letters", "Zoë", "Zoe\u0308"],
    ["typography in the pattern alone", "it's 12 EUR - net", "it’s 12\u00a0EUR – net"],
    ["operators beside it", "costs 12\u00a0EUR", String.raw`^costs \d+ EUR$`],
    ["a class with a dash", "a-z", "a[–—]z"],
  ])("%s", async (_, line, pattern) => {
    expect(await search({ f: `${line}\n` }, pattern)).toBe(`f:1: ${line}\n${ignoring}`);
  });

  it("in documents", async () => {
    expect(await search({ "a.docx": docx("No.", "Cap: 12\u00a0EUR") }, "12 EUR")).toMatch(
      /^a\.docx:3: Cap: 12\u00a0EUR\n\[Matched ignoring .*: a\.docx:3\.\]$/,
    );
  });

  it("whatever the text is, and never says so of exact matches", async () => {
    const text = fc.string({
      unit: fc.constantFrom(..."ab12 \u00a0\u00ad-–'’\"“\ufb01e\u0301é"),
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(text, text, text, async (before, wanted, after) => {
        const plain = foldText(wanted, searchKinds).text;
        if (plain.trim() === "" || /^\p{M}/u.test(after + wanted)) return;
        const line = `${before}.${wanted}.${after}`;
        const found = await search(
          { f: line },
          plain.replaceAll(/[^\p{L}\d]/gu, (each) => `\\x{${each.charCodeAt(0).toString(16)}}`),
        );
        expect(found.startsWith(`f:1: ${line}`)).toBe(true);
        if (line.includes(plain)) expect(found).toBe(`f:1: ${line}`);
      }),
    );
  });
});

it("a file of UTF-8 with other bytes is searched, and named", async () => {
  const mixed = Buffer.concat([Buffer.from("Zoë\n日本\n"), Buffer.from("Müller\n", "latin1")]);
  expect(await search({ f: mixed }, "日本")).toBe("f:2: 日本\n[With bytes that are not UTF-8: f.]");
});

it("a pattern keeps its meaning: exact matches come without a note, and classes are not widened", async () => {
  expect(await search({ f: "12 EUR\n" }, "12 EUR")).toBe("f:1: 12 EUR");
  expect(await search({ f: "am\nbn\n" }, "[a–z]m")).toBe("f:1: am");
  expect(await search({ f: "mm\n" }, "[a–z]m")).toBe("No line matches in 1 files.");
  expect(await search({ f: "x\u00a0y\n" }, String.raw`\x{a0}`)).toBe("f:1: x\u00a0y");
});

/** Searches an email with these lines, from line 3 on. */
function over(lines: string[], pattern: string, more = {}): Promise<string> {
  return search({ "a.eml": `Subject: x\n\n${lines.join("\n")}\n` }, pattern, more);
}

describe("a phrase is found over the end of a line of a PDF", () => {
  const note = "\n[Matched over the end of a line, shown joined: a.eml:3.]";

  it.each([
    ["words", ["the notice", "period is"], "notice period", "the notice period is"],
    ["three lines", ["the notice", "period", "of all"], "notice period of", "the notice period of all"],
    ["a hyphenated word", ["the termi-", "nation of"], "termination", "the termination of"],
    ["a compound", ["a well-", "known fact"], "well-known", "a well-known fact"],
    ["typography, too", ["the “notice", "period” is"], '"notice period"', "the “notice period” is"],
    ["any blanks", ["the notice", "period is"], String.raw`notice\s+period`, "the notice period is"],
    ["Chinese", ["他说中", "文很好"], "中文", "他说中文很好"],
  ])("%s", async (_, lines, pattern, joined) => {
    const found = await over(lines, pattern);
    expect(found).toContain(`a.eml:3: ${joined}`);
    expect(found.endsWith(note)).toBe(true);
  });

  it("in a PDF, with the page", async () => {
    const lines = ["the notice", "period is", "long"].join(") Tj 0 -14 Td (");
    expect(await search({ "a.pdf": pdf("First.", lines) }, "notice period")).toBe(
      "a.pdf:5 (page 2): the notice period is\n[Matched over the end of a line, shown joined: a.pdf:5.]",
    );
  });

  it("without regard to case, if so asked", async () => {
    expect(await over(["the NOTICE", "period"], "notice period")).toMatch(/^No line matches/);
    expect(await over(["the NOTICE", "period"], "notice period", { ignore_case: true })).toContain("the NOTICE period");
    expect(await over(["the NOTICE", "period"], "(?i)notice period")).toContain("the NOTICE period");
  });

  it("but not by a pattern with operators, nor over an empty line or from page to page", async () => {
    expect(await over(["the notice", "period"], "notice.period")).toMatch(/^No line matches/);
    expect(await over(["the notice", "", "period"], "notice period")).toMatch(/^No line matches/);
    expect(await search({ "a.pdf": pdf("the notice", "period") }, "notice period")).toMatch(/^No line matches/);
  });
});
