import { expect, it } from "vitest";
import type { Attachment, Message } from "../../../src/agent/model.ts";
import { loadAttachments } from "../../../src/agent/models/attachments.ts";

/** Loads attachments of one type and size. Returns the bytes of each, or why it is not shown, oldest first. */
async function load(count: number, mediaType: string, bytes: number, pages?: number): Promise<(number | string)[]> {
  const attachments = Array.from({ length: count }, (_, index): Attachment => {
    return { name: `${index}`, mediaType, ...(pages !== undefined && { pages }) };
  });
  const messages = attachments.map((each): Message => ({ role: "user", text: "", attachments: [each] }));
  const contents = await loadAttachments(messages, async () => new Uint8Array(bytes));
  return attachments.map((each) => {
    const content = contents.get(each) ?? "";
    return typeof content === "string" ? content : content.length;
  });
}

it("loads the newest files up to the limits of one request", async () => {
  const displaced = "only newer files fit into the request";
  const pdfs = await load(7, "application/pdf", 10);
  expect(pdfs).toEqual([displaced, displaced, 10, 10, 10, 10, 10]);
  expect(await load(4, "application/pdf", 10, 40)).toEqual([displaced, displaced, 10, 10]);
  const images = await load(21, "image/png", 10);
  expect(images).toEqual([displaced, ...Array.from({ length: 20 }, () => 10)]);
  expect(await load(5, "image/webp", 3_500_000)).toEqual([displaced, 3_500_000, 3_500_000, 3_500_000, 3_500_000]);
});

it("does not load a file over the size limit", async () => {
  expect(await load(1, "application/pdf", 4_500_000)).toEqual([4_500_000]);
  expect(await load(1, "application/pdf", 4_500_001)).toEqual([expect.stringContaining("4500001 bytes")]);
});

it("reads only the files that it loads", async () => {
  const attachments = Array.from({ length: 500 }, (_, index) => ({ name: `${index}`, mediaType: "image/png" }));
  const read: string[] = [];
  await loadAttachments([{ role: "user", text: "", attachments }], async ({ name }) => {
    read.push(name);
    return new Uint8Array(10);
  });
  expect(read.toSorted()).toEqual(attachments.slice(-20).map(({ name }) => name));
});
