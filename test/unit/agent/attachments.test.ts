import { expect, it } from "vitest";
import type { Attachment, Message } from "../../../src/agent/model.ts";
import { showAttachments } from "../../../src/agent/models/attachments.ts";

/** What is shown of files of one kind and size, in the order in which they came: bytes, or why not. */
async function shown(count: number, mediaType: string, bytes: number): Promise<(number | string)[]> {
  const attachments = Array.from({ length: count }, (_, index): Attachment => ({ name: `${index}`, mediaType }));
  const messages = attachments.map((each): Message => ({ role: "user", text: "", attachments: [each] }));
  const contents = await showAttachments(messages, async () => new Uint8Array(bytes), false);
  return attachments.map((each) => {
    const content = contents.get(each) ?? "";
    return typeof content === "string" ? content : content.length;
  });
}

it("shows as many files as a request takes, the newest of them", async () => {
  const taken = "newer files have taken its place";
  const pdfs = await shown(7, "application/pdf", 10);
  expect(pdfs).toEqual([taken, taken, 10, 10, 10, 10, 10]);
  const images = await shown(21, "image/png", 10);
  expect(images).toEqual([taken, ...Array.from({ length: 20 }, () => 10)]);
  expect(await shown(5, "image/webp", 3_500_000)).toEqual([taken, 3_500_000, 3_500_000, 3_500_000, 3_500_000]);
});

it("shows no file that is larger than any provider takes", async () => {
  expect(await shown(1, "application/pdf", 4_500_000)).toEqual([4_500_000]);
  expect(await shown(1, "application/pdf", 4_500_001)).toEqual([expect.stringContaining("4500001 bytes")]);
});

it("reads no more files than it shows, however many there are", async () => {
  const attachments = Array.from({ length: 500 }, (_, index) => ({ name: `${index}`, mediaType: "image/png" }));
  const read: string[] = [];
  await showAttachments(
    [{ role: "user", text: "", attachments }],
    async (name) => {
      read.push(name);
      return new Uint8Array(10);
    },
    false,
  );
  expect(read.toSorted()).toEqual(attachments.slice(-20).map(({ name }) => name));
});
