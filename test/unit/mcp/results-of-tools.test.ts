import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { files } from "../agent/scripted.ts";
import { returns, server, use } from "./legacy-server.ts";

const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString("base64");
const pdf = Buffer.from("%PDF-1.4\n\u00ff\u0000trailer<<>>\n%%EOF", "latin1");
const hashOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex").slice(0, 12);

/** What the model gets for a block, and the files that the call has written. */
async function shown(...content: object[]) {
  const space = files();
  const { outputs } = await use(server({ call: returns({ content }) }).listener, 1, { space });
  return { output: outputs[0], written: Object.fromEntries(space.content) };
}

const resource = (more: object): object => ({ type: "resource", resource: more });

it.each<[string, object, string, string | Uint8Array]>([
  [
    "a PDF, under the name in its address",
    resource({ uri: "file:///a/invoice%204711.pdf?x=/y", mimeType: "application/pdf", blob: base64(pdf) }),
    `s-${hashOf(pdf)}-invoice 4711.pdf`,
    pdf,
  ],
  [
    "a file whose address is no path",
    resource({ uri: "db://rows/..%2F..%2Fetc%2Fpasswd", mimeType: "application/vnd.ms-excel", blob: base64(pdf) }),
    `s-${hashOf(pdf)}-passwd.xls`,
    pdf,
  ],
  ["audio", { type: "audio", mimeType: "audio/mpeg", data: base64(pdf) }, `s-${hashOf(pdf)}.mp3`, pdf],
  [
    "an SVG",
    { type: "image", mimeType: "image/svg+xml", data: base64("<svg/>") },
    `s-${hashOf("<svg/>")}.svg`,
    "<svg/>",
  ],
  [
    "a text that is not UTF-8",
    resource({
      uri: "repo://b",
      mimeType: "text/plain; charset=latin1",
      blob: base64(Buffer.from("Prüfung", "latin1")),
    }),
    `s-${hashOf(Buffer.from("Prüfung", "latin1"))}-b.txt`,
    Buffer.from("Prüfung", "latin1"),
  ],
])("%s becomes a file of the run", async (_, block, name, content) => {
  const { output, written } = await shown({ type: "text", text: "Attached." }, block);
  expect(output).toEqual({
    text: expect.stringMatching(/^Attached\.\n\[A file of type [^ ]+, saved as .* in the workspace\.\]$/),
  });
  expect(output?.text).toContain(`saved as ${name} in`);
  expect(written).toEqual({ [name]: Buffer.from(content) });
});

it.each([
  ["text/plain", "class A {}"],
  ["application/json", '{"a":1}'],
  ["application/ld+json; charset=utf-8", "{}"],
  [undefined, "Prüfung"],
])("a blob of type %s that is text becomes text", async (mimeType, text) => {
  expect(await shown(resource({ uri: "repo://a.cs", mimeType, blob: base64(text) }))).toEqual({
    output: { text },
    written: {},
  });
});

it("a link keeps its name, description, type and size", async () => {
  const link = { type: "resource_link", uri: "https://files.example.com/q3.csv", name: "q3.csv", size: 120 };
  const { output } = await shown({ ...link, description: "All orders of Q3", mimeType: "text/csv" });
  expect(output).toEqual({ text: "q3.csv: https://files.example.com/q3.csv (text/csv, 120 bytes)\nAll orders of Q3" });
});

it("an image that is too large to be shown is saved", async () => {
  const large = Buffer.alloc(4_000_000, 0xff);
  const { output, written } = await shown({ type: "image", mimeType: "image/png", data: base64(large) });
  const name = `s-${hashOf(large)}.png`;
  expect(output).toEqual({
    text: `[An image, saved as ${name} in the workspace; it has 4000000 bytes, and images can be shown up to 3750000 bytes.]`,
  });
  expect(Object.keys(written)).toEqual([name]);
});
