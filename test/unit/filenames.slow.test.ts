import fc from "../support/properties.ts";
import { expect, test } from "vitest";
import { filenameProblem, safeFilenames } from "../../src/filenames.ts";

test.each([
  ["report.pdf", "report.pdf"],
  ["../../etc/passwd", "passwd"],
  ["..\\..\\windows\\system.ini", "system.ini"],
  ["C:\\Users\\a\\b.txt", "b.txt"],
  ["/absolute/x", "x"],
  [".env", "env"],
  ["...hidden.txt", "hidden.txt"],
  [". .sneaky", "sneaky"],
  ["..", "file"],
  ["a/", "file"],
  ["   ", "file"],
  ["a\u0000b\nc.txt", "abc.txt"],
  ["invoice\u202Efdp.exe", "invoicefdp.exe"],
  ["NUL.txt", "_NUL.txt"],
  ["prn .txt", "_prn .txt"],
  ["com¹", "_com¹"],
  ["console.txt", "console.txt"],
  ["grüße 😀.md", "grüße 😀.md"],
  ["gru\u0308ße.md", "gr\u00fcße.md"],
  ["a:b?.txt", "a_b_.txt"],
  ["trailing.txt. .", "trailing.txt"],
  ["in\u00advo\u034fice\u2800.pdf", "invoice.pdf"],
  ["\u115f\u1160\u17b4\u17b5\u180b\u180e\u180f\u2800\u3164\uffa0\ufeff", "file"],
  ["report\u{e0041}\u{e0042}\u{e007f}.txt", "report.txt"],
  ["a\uffff\ufdd0\u{10ffff}\ufff9b", "ab"],
  ["photo.png\ufe0f", "photo.png"],
  ["\u200d\ufe0f.\u200ca\u200d\u200d\u200db\u200d", "a\u200db"],
  ["x\ufe00\ufe01\ufe0fy", "xy"],
  ["👩‍👩‍👧 ❤️‍🔥 🏳️‍🌈 1️⃣ 🇩🇪 👍🏽.png", "👩‍👩‍👧 ❤️‍🔥 🏳️‍🌈 1️⃣ 🇩🇪 👍🏽.png"],
  ["می‌خواهم.txt", "می‌خواهم.txt"],
  ["❤️", "❤"],
  ["*\ufe0f.txt", "_.txt"],
])("%j becomes %j", (name, safe) => {
  expect(safeFilenames()(name)).toBe(safe);
});

test("shortens a long name to 255 bytes between characters and keeps its extension", () => {
  const name = safeFilenames()(`${"😀".repeat(100)}.tar.gz`);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  expect(name).toMatch(/^😀+(\.tar)?\.gz$/u);
});

test("makes names unique that would collide", () => {
  expect(["a.txt", "x/a.txt", "A.TXT", "a (2).txt"].map(safeFilenames())).toEqual([
    "a.txt",
    "a (2).txt",
    "A (3).TXT",
    "a (2) (2).txt",
  ]);
  const long = `${"n".repeat(300)}.txt`;
  const names = [long, long, long].map(safeFilenames());
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
});

test("returns a unique, flat, visible and storable name for any text", () => {
  const anyName = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({ unit: fc.constantFrom("a", "é", ".", " "), minLength: 200, maxLength: 300 }),
    fc.string({ unit: fc.constantFrom("con", "nul", "com1", "conin$", ".", " ", ":", "\u200b", "a"), maxLength: 6 }),
    fc.string({ unit: fc.constantFrom(".", "/", "\\", " ", "\u202e", "a", "A", "\0"), maxLength: 20 }),
    fc.string({
      unit: fc.constantFrom("\u200d", "\u200c", "\ufe0f", "❤", "1", "*", ".", "/", "\u00ad"),
      maxLength: 12,
    }),
    fc.string({ unit: fc.constantFrom("👩‍👧", "❤️", "é", "\u{e0041}", "."), minLength: 30, maxLength: 80 }),
  );
  fc.assert(
    fc.property(fc.array(anyName, { maxLength: 10 }), (given) => {
      const names = given.map(safeFilenames());
      expect(names).toHaveLength(given.length);
      expect(new Set(names.map((name) => name.normalize("NFC").toLowerCase())).size).toBe(given.length);
      for (const name of names) {
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        expect(name).toMatch(/^[^./\\\s\p{Cc}\p{Cs}\u202a-\u202e][^/\\\p{Cc}\p{Cs}\u202a-\u202e]*$/u);
        expect(name).not.toMatch(/[.\s\p{Join_Control}\p{Variation_Selector}]$/u);
        expect(name).not.toMatch(
          /^[\p{Join_Control}\p{Variation_Selector}]|\p{Noncharacter_Code_Point}|[\u2800\u{e0000}-\u{e0fff}]/u,
        );
        expect(name.replace(/[\p{Join_Control}\ufe00-\ufe0f]/gu, "")).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
        expect(safeFilenames()(name)).toBe(name);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("a path is accepted exactly when no part of it would be changed in an upload", () => {
  const part = fc.string({ unit: fc.constantFrom(..."aZ1_ .-()+:conulx\u0301\u200d"), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
      const isUnchanged = parts.every((each) => safeFilenames()(each) === each.normalize("NFC"));
      expect(filenameProblem(parts.join("/")) === undefined).toBe(isUnchanged);
    }),
  );
});
