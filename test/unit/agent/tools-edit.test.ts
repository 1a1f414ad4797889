import { describe, expect, it } from "vitest";
import type { ToolOutput } from "../../../src/agent/tools/tool.ts";
import { decodeText } from "../../../src/documents/encoding/decode-text.ts";
import { encodeText } from "../../../src/documents/encoding/encode-text.ts";
import { foldText, typographicKinds } from "../../../src/documents/encoding/fold-text.ts";
import fc from "../../support/properties.ts";
import { allTools, files } from "./scripted.ts";

const edit = allTools().find(({ definition }) => definition.name === "edit_file");

interface Edited extends ToolOutput {
  /** The file afterwards. */
  bytes: Buffer;
}

/** Edits a file with this content. */
async function edited(content: string | Uint8Array, old_text: string, new_text: string, more = {}): Promise<Edited> {
  const space = files({ f: content });
  const context = { files: space, signal: new AbortController().signal };
  const output = await edit?.run({ name: "f", old_text, new_text, ...more }, context);
  return { text: "", ...output, bytes: Buffer.from(space.content.get("f") ?? []) };
}

const bytesIn = (text: string, encoding: string): Buffer => {
  const encoded = encodeText(text, encoding);
  if ("missing" in encoded) throw new Error(`${encoding} has no ${encoded.missing}`);
  return Buffer.from(encoded.bytes);
};

const marks: Record<string, number[]> = {
  "utf-8": [0xef, 0xbb, 0xbf],
  "utf-16le": [0xff, 0xfe],
  "utf-16be": [0xfe, 0xff],
};
const letters: Record<string, string> = {
  "utf-8": "aé日😀\u00a0’e\u0301 \r\n",
  "utf-16le": "aé日😀\u00a0’e\u0301 \r\n",
  "utf-16be": "aé日😀\u00a0’e\u0301 \r\n",
  "windows-1252": "aéü€\u00a0’ßÿ \r\n",
  shift_jis: "aあ日本語ｱｲｳ、 \r\n",
};

describe("the bytes outside of an edit stay as they are", () => {
  it.each([
    ["utf-8", false],
    ["utf-8", true],
    ["utf-16le", true],
    ["utf-16be", true],
    ["windows-1252", false],
    ["shift_jis", false],
  ])("in %s, with a byte order mark: %s", async (encoding, isMarked) => {
    const text = fc.string({ unit: fc.constantFrom(...(letters[encoding] ?? "")), maxLength: 30 });
    // A guess needs some text: these are Japanese, or letters that are not UTF-8.
    const start =
      encoding === "shift_jis" ? "日本語の文章です。" : encoding === "windows-1252" ? "Größe über Maß\n" : "";
    const mark = Buffer.from(isMarked ? (marks[encoding] ?? []) : []);
    await fc.assert(
      fc.asyncProperty(text, text, text, async (before, after, inserted) => {
        const [head, tail] = [mark, bytesIn(`${start}${before}`, encoding)];
        const content = Buffer.concat([head, tail, bytesIn("<OLD>", encoding), bytesIn(after, encoding)]);
        const found = decodeText(content);
        if ("binary" in found || found.encoding !== encoding) return; // the guess is another one
        const { bytes } = await edited(content, "<OLD>", `\r${inserted}`);
        expect(bytes).toEqual(
          Buffer.concat([head, tail, bytesIn(`\r${inserted}`, encoding), bytesIn(after, encoding)]),
        );
      }),
    );
  });

  it("for any text of UTF-8, and any part of it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
        fc.nat(),
        fc.nat(),
        async (text, a, b) => {
          const from = a % text.length;
          const old = text.slice(from, from + 1 + (b % (text.length - from)));
          if (!old.isWellFormed() || text.indexOf(old) !== text.lastIndexOf(old) || text.includes("\0")) return;
          const { bytes } = await edited(text, old, "\r");
          if ("binary" in decodeText(Buffer.from(text))) return;
          expect(bytes.toString()).toBe(`${text.slice(0, from)}\r${text.slice(from + old.length)}`);
        },
      ),
    );
  });

  it("says that a guessed encoding was kept", async () => {
    const { text, bytes } = await edited(Buffer.from("Müller\nx\n", "latin1"), "x", "ü");
    expect(text).toBe("Replaced 1 occurrence in f (9 bytes). Its encoding was kept: windows-1252, a guess.");
    expect(bytes.toString("latin1")).toBe("Müller\nü\n");
  });
});

describe("an edit is refused, and the file stays as it is,", () => {
  it("when the encoding has no such character", async () => {
    const content = Buffer.from("Müller\nx\n", "latin1");
    const { text, error, bytes } = await edited(content, "x", "日");
    expect([error, bytes.equals(content)]).toEqual([true, true]);
    expect(text).toMatch(/^f is windows-1252, which has no "日" \(U\+65E5\), so it was not changed\./);
  });

  it("when a file of UTF-8 has other bytes, with their lines", async () => {
    const content = Buffer.concat([Buffer.from("id\n1,Zoë\n2,日本\n3,M"), Buffer.from([0xfc]), Buffer.from("ller\n")]);
    const { text, error, bytes } = await edited(content, "id", "nr");
    expect([error, bytes.equals(content)]).toEqual([true, true]);
    expect(text).toMatch(/^f is UTF-8, but has bytes that are not: line 4 \(FC\)\. It was not changed\./);
  });

  it("when UTF-16 is damaged", async () => {
    const content = Buffer.from([0xff, 0xfe, 0x61, 0, 0, 0xd8, 0x62, 0]);
    expect((await edited(content, "a", "b")).text).toContain("has bytes that utf-16le cannot write back as they are");
  });
});

describe("line ends", () => {
  it.each([
    ["several lines in a file with CRLF", "a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n"],
    ["new lines in a file with CRLF", "a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n"],
    ["several lines in a file with LF", "a\nb\nc\n", "a\r\nb", "x\r\ny", "x\ny\nc\n"],
    ["of a part with CRLF", "a\nb\r\nc\r\nd\n", "b\nc", "b\nx", "a\nb\r\nx\r\nd\n"],
    ["as they are given, when they are matched", "a\r\nb\r\n", "a\r\n", "a\n", "a\nb\r\n"],
    ["of an old Mac", "a\rb\rc", "a\nb", "x\ny", "x\ry\rc"],
    ["in a file with both", "a\r\nb\n", "b", "c\nd", "a\r\nc\nd\n"],
  ])("are those of the file: %s", async (_, content, old, replacement, result) => {
    expect((await edited(content, old, replacement)).bytes.toString()).toBe(result);
  });
});

describe("a unique match that differs in its typography is edited, and what was ignored is named", () => {
  it.each([
    ["blanks", "Preis: 12\u00a0EUR\n", "Preis: 12 EUR", "Preis: 13 EUR", "Preis: 13\u00a0EUR\n"],
    ["quotes", "It’s “fine”\n", `It's "fine"`, `It's "good"`, "It’s “good”\n"],
    ["hyphens", "1914–1918 war", "1914-1918 war", "1914-1918 peace", "1914–1918 peace"],
    ["Unicode forms", "Zoe\u0308 is here", "Zoë is", "Zoë was", "Zoe\u0308 was here"],
    ["ligatures", "an o\ufb03ce\n", "an office", "the office", "the o\ufb03ce\n"],
    ["line ends", "a\r\nb", "a\nb", "a\nc", "a\r\nc"],
    ["runs of blanks and tabs", "if x:\n\ty = 1\n", "    y = 1", "    y = 2", "if x:\n\ty = 2\n"],
    ["blanks, quotes", "l’été\u202f!", "l'été !", "l'été ?", "l’été\u202f?"],
  ])("%s", async (kinds, content, old, replacement, result) => {
    const { text, bytes } = await edited(content, old, replacement);
    expect(bytes.toString()).toBe(result);
    expect(text).toMatch(new RegExp(`bytes\\), matched ignoring ${kinds}\\.`));
  });

  it("as a whole where the edit changes the typography", async () => {
    expect((await edited("It’s\u00a05", "It's 5", "It’s 5")).bytes.toString()).toBe("It’s\u00a05");
    expect((await edited("a\u00a0b", "a b", "a_b")).bytes.toString()).toBe("a_b");
  });

  it("but not where several match: their lines are named", async () => {
    const { text, error, bytes } = await edited("12\u00a0EUR\n0\n12\u202fEUR\n", "12 EUR", "13 EUR");
    expect([error, bytes.toString()]).toEqual([true, "12\u00a0EUR\n0\n12\u202fEUR\n"]);
    expect(text).toMatch(/it occurs 2 times, in lines 1, 3\./);
  });

  it("but not where the file has new_text already", async () => {
    const { text, error } = await edited("It’s\n", "It's", "It’s");
    expect([error, text]).toEqual([true, "f has new_text already in line 1. It was not changed."]);
  });

  it("and only the matched text changes, whatever the typography", async () => {
    const part = fc.string({ unit: fc.constantFrom(..."ab12 \u00a0\u00ad-–'’\ufb01e\u0301é\r\n\t"), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(part, part, part, part, async (before, middle, after, other) => {
        const wanted = foldText(`<${middle}>`, [...typographicKinds, "line ends"]).text;
        const { error, bytes } = await edited(`${before}|<${middle}>|${after}`, wanted, `<${other}>`);
        const now = bytes.toString();
        expect([now.startsWith(`${before}|<`), now.endsWith(`>|${after}`)]).toEqual([true, true]);
        if (error === true) expect(now).toBe(`${before}|<${middle}>|${after}`);
      }),
    );
  });

  it("but no tab is replaced by blanks", async () => {
    expect((await edited("\ta = 1\n", "    a = 1", "    a = 1\n    b = 2")).error).toBe(true);
    expect((await edited("a\tb\n", "a b", "a c")).bytes.toString()).toBe("a\tc\n");
    expect((await edited("a\tb\n", "a b", "x y")).error).toBe(true);
  });
});

describe("when nothing matches, the nearest line is shown", () => {
  it("with the names of characters that look like others", async () => {
    const { text } = await edited("first\nPrice:\u00a012 EUR – net\nlast\n", "Price: 15 EUR - net", "x");
    expect(text).toMatch(
      /The nearest line is 2: "Price:\u00a012 EUR – net"\. It has U\+00A0 no-break space, U\+2013 en dash\.$/,
    );
  });

  it("in other quotes", async () => {
    const { text } = await edited("function a() {\n  return 'x';\n}\n", 'return "x";', "x");
    expect(text).toContain(`The nearest line is 2: "  return 'x';".`);
  });

  it("or that the lines are not together", async () => {
    expect((await edited("a one\nb\nc two\n", "a one\nc two", "x")).text).toContain("the first one in line 1");
  });
});

it("with all, says which occurrences differ in their typography and stay", async () => {
  const { text, bytes } = await edited("a b\na\u00a0b\na b\n", "a b", "c", { all: true });
  expect(bytes.toString()).toBe("c\na\u00a0b\nc\n");
  expect(text).toMatch(/^Replaced 2 occurrences .* Not replaced, because they match only ignoring .*: 1 in lines 2\.$/);
});

it("occurrences that overlap are not one", async () => {
  expect((await edited("aaa\n", "aa", "b")).text).toContain("the occurrences overlap");
});
