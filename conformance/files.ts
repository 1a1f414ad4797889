import { create, created, pollToEnd } from "./client.ts";
import { type Case, expect, expectCreated, expectError, expectFinishedTurn } from "./expect.ts";

const mebibyte = 1024 * 1024;

function file(filename: string, content: string | Uint8Array): { filename: string; content_base64: string } {
  return { filename, content_base64: Buffer.from(content).toString("base64") };
}

/** Filenames that must be accepted (with `open`: or rejected with 422). */
const names: { name: string; filename: string; open?: true }[] = [
  { name: "of 1 character", filename: "f" },
  { name: "of 255 characters", filename: `${"f".repeat(251)}.txt` },
  { name: "of 255 emoji (code points are counted)", filename: "😀".repeat(255) },
  { name: "in Unicode", filename: "Größe 数据 données.csv" },
  { name: "with path components", filename: "../../etc/passwd" },
  { name: "with an absolute path", filename: "/etc/shadow" },
  { name: "with Windows path components", filename: "..\\..\\windows\\win.ini" },
  { name: "with a leading dot", filename: ".env" },
  { name: "that is a Windows device", filename: "con.txt" },
  { name: "with quotes and spaces", filename: ` it's "the" file .txt ` },
  { name: "of dots only (open: 201 or 422)", filename: "...", open: true },
  { name: "with a trailing slash (open: 201 or 422)", filename: "folder/", open: true },
  { name: "with control characters (open: 201 or 422)", filename: "a\u0000b\nc\u202ed.txt", open: true },
];

const badBase64: { name: string; content: string }[] = [
  { name: "one padding character short", content: "QQ=" },
  { name: "no padding", content: "QUI" },
  { name: "a single character", content: "Q" },
  { name: "padding only", content: "====" },
  { name: "padding first", content: "=QQ=" },
  { name: "padding in the middle", content: "QQ==QQ==" },
  { name: "a trailing newline", content: "QQ==\n" },
  { name: "MIME line wrapping", content: `${"QUJD".repeat(19)}\r\n${"QUJD".repeat(19)}\r\n` },
  { name: "a newline that keeps the length right", content: "QUJ\nQUJDQUJ\nQUJD" },
  { name: "a space inside", content: "Q Q=" },
  { name: "the URL-safe alphabet", content: "-_8=" },
  { name: "a non-ASCII character", content: "QUJŁ" },
  { name: "a full-width letter", content: "QUJＤ" },
  { name: "a data URL", content: "data:text/plain;base64,QQ==" },
];

const goodBase64: { name: string; content: string; open?: true }[] = [
  { name: "two padding characters", content: "QQ==" },
  { name: "one padding character", content: "QUI=" },
  { name: "no padding needed", content: "QUJD" },
  { name: "the characters + and /", content: "+/8=" },
  { name: "non-zero trailing bits (open: 201 or 422)", content: "QR==", open: true },
];

/** Sizes in bytes of the files of one create. */
const sizes: { name: string; bytes: number[]; status: 201 | 413 }[] = [
  { name: "10 files of 1 byte", bytes: Array.from({ length: 10 }, () => 1), status: 201 },
  { name: "one file of exactly 10 MiB", bytes: [10 * mebibyte], status: 201 },
  { name: "10 files of 1 MiB", bytes: Array.from({ length: 10 }, () => mebibyte), status: 201 },
  { name: "one file of 10 MiB + 1 byte", bytes: [10 * mebibyte + 1], status: 413 },
  { name: "two files of 10 MiB + 1 byte together", bytes: [10 * mebibyte, 1], status: 413 },
  {
    name: "10 files of 10 MiB + 1 byte together",
    bytes: [...Array.from({ length: 9 }, () => mebibyte), mebibyte + 1],
    status: 413,
  },
];

export const fileCases: Case[] = [
  ...names.map(
    ({ name, filename, open }) =>
      ({
        name: `files: accepts a filename ${name}`,
        async run(target) {
          const response = await create(target, { files: [file(filename, "content\n")] });
          if (!open || response.status !== 422) expectCreated(response);
        },
      }) satisfies Case,
  ),
  ...goodBase64.map(
    ({ name, content, open }) =>
      ({
        name: `files: accepts base64 with ${name}`,
        async run(target) {
          const response = await create(target, { files: [{ filename: "good.bin", content_base64: content }] });
          if (open && response.status === 422) expectError(response, 422, "file 'good.bin' is not valid base64");
          else expectCreated(response);
        },
      }) satisfies Case,
  ),
  ...badBase64.map(
    ({ name, content }) =>
      ({
        name: `files: rejects base64 with ${name}`,
        async run(target) {
          const files = [file("good.bin", "good"), { filename: "bad.bin", content_base64: content }];
          expectError(await create(target, { files }), 422, "file 'bad.bin' is not valid base64");
        },
      }) satisfies Case,
  ),
  ...sizes.map(
    ({ name, bytes, status }) =>
      ({
        name: `files: ${status === 201 ? "accepts" : "rejects as too large"} ${name}`,
        async run(target) {
          const files = bytes.map((size, index) => file(`part-${index}.bin`, Buffer.alloc(size, 65 + index)));
          const response = await create(target, { files });
          if (status === 201) expectCreated(response);
          else expectError(response, 413, "total file size exceeds the allowed limit");
        },
      }) satisfies Case,
  ),
  {
    name: "files: are in the workspace before the input is processed, including two with the same name",
    async run(target) {
      const text = "List every file in your workspace, and quote each file's name and its first line.";
      const files = [
        file("../../notes.txt", "first line of the notes: heron\nsecond line\n"),
        file(".figures.csv", "month,otter\n2026-01,17\n"),
        file("same.txt", "the one: falcon\n"),
        file("same.txt", "the other: badger\n"),
      ];
      const output = expectFinishedTurn(
        await pollToEnd(target, await created(target, { input_text: text, files })),
        text,
      );
      if (!target.quotesFiles) return;
      const wanted = ["notes.txt", "heron", "figures.csv", "otter", "same", "falcon", "badger"];
      const absent = wanted.filter((word) => !output.includes(word));
      expect(absent.length === 0, `an output that quotes ${wanted.join(", ")} (--quotes-files)`, output);
    },
  },
];
