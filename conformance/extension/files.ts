import { createHash, randomBytes, randomUUID } from "node:crypto";
import { asObject, type Case, describe, expect, expectEqual } from "../expect.ts";
import type { Target } from "../types.ts";
import { bodyOf, download, ended, expectCode, ext, newRun, pageOf } from "./client.ts";

const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** Begins an upload. */
async function begin(target: Target, filename: string, content: Uint8Array): Promise<Record<string, unknown>> {
  const body = { filename, size: content.length, sha256: sha256(content) };
  return bodyOf(await ext(target, "POST /uploads", { body }), 201);
}

/** Sends the content of an upload. The key is only for the service's own address. Resolves with the status. */
async function put(target: Target, upload: Record<string, unknown>, content: Uint8Array<ArrayBuffer>): Promise<number> {
  const base = `${target.baseUrl.replace(/\/+$/, "")}/`;
  const url = new URL(String(upload["url"]), base);
  const isOwn = url.origin === new URL(base).origin;
  // `fetch` sets the length of the content, and refuses to send another one.
  const { "content-length": _length, ...others } = asObject(upload["headers"]);
  const headers = Object.fromEntries(Object.entries(others).map(([name, each]) => [name, String(each)]));
  const auth = isOwn ? { authorization: `Bearer ${target.apiKey}` } : {};
  const response = await fetch(url, { method: "PUT", headers: { ...headers, ...auth }, body: content });
  await response.arrayBuffer();
  return response.status;
}

export const fileCases: Case[] = [
  {
    name: "ext files: a file of the create can be listed and downloaded",
    async run(target) {
      const content = randomBytes(3_000);
      const filename = "Übersicht 1 (final) & more.bin";
      const { id } = await newRun(target, { files: [{ filename, content_base64: content.toString("base64") }] });
      const [file] = pageOf(await ext(target, `GET /runs/${id}/files`)).data;
      expectEqual([file?.["size"], file?.["sha256"]], [content.length, sha256(content)], "size and SHA-256:");
      const { status, headers, bytes } = await download(target, id, String(file?.["name"]));
      expectEqual([status, sha256(bytes)], [200, sha256(content)], "status and SHA-256:");
      const disposition = headers.get("content-disposition") ?? "no Content-Disposition";
      expect(disposition.startsWith("attachment"), "Content-Disposition: attachment", disposition);
    },
  },
  {
    name: "ext files: a download is continued with Range, and not repeated for the same content",
    async run(target) {
      const content = randomBytes(3_000);
      const { id } = await newRun(target, {
        files: [{ filename: "data.bin", content_base64: content.toString("base64") }],
      });
      const whole = await download(target, id, "data.bin");
      const etag = whole.headers.get("etag");
      expect(etag !== null && /^"[^"]+"$/.test(etag), "a strong ETag", String(etag));
      const rest = await download(target, id, "data.bin", { range: "bytes=1000-", "if-range": etag ?? "" });
      expectEqual([rest.status, rest.headers.get("content-range")], [206, "bytes 1000-2999/3000"], "status and range:");
      expectEqual(sha256(rest.bytes), sha256(content.subarray(1_000)), "SHA-256");
      const other = await download(target, id, "data.bin", { range: "bytes=1000-", "if-range": '"other"' });
      // S3 compares If-Range, but stores that are compatible with it need not.
      if (!other.redirected) {
        expectEqual([other.status, sha256(other.bytes)], [200, sha256(content)], "status and SHA-256:");
      }
      const beyond = await download(target, id, "data.bin", { range: "bytes=3000-" });
      expectEqual(beyond.status, 416, "status");
      const headers = { "if-none-match": `"${sha256(content)}"` };
      const known = await ext(target, `GET /runs/${id}/files/data.bin`, { headers });
      expectEqual([known.status, known.text], [304, ""], "status and body:");
      const head = await ext(target, `HEAD /runs/${id}/files/data.bin`);
      const received = [head.status, head.headers["content-length"], head.headers["etag"]];
      expectEqual(received, [200, "3000", `"${sha256(content)}"`], "status, length and ETag:");
    },
  },
  {
    name: "ext files: an unknown file is 404",
    async run(target) {
      const { id } = await newRun(target);
      expectCode(await ext(target, `GET /runs/${id}/files/no-such-file`), 404, "file_not_found");
      for (const name of ["reports%2Fno-such-file", "reports/no-such-file"]) {
        expectCode(await ext(target, `GET /runs/${id}/files/${name}`), 404, "file_not_found");
      }
    },
  },
  {
    name: "ext files: a file of the create has no folders and a name of its own, with which the create answers",
    async run(target) {
      const content_base64 = Buffer.from("a").toString("base64");
      const sent = ["reports/q3.csv", "q3.csv", "a.txt"];
      const { id, files } = await newRun(target, { files: sent.map((filename) => ({ filename, content_base64 })) });
      const expected = [
        { name: "q3.csv", sent_as: "reports/q3.csv" },
        { name: "q3 (2).csv", sent_as: "q3.csv" },
        { name: "a.txt", sent_as: null },
      ];
      expectEqual(files, expected, "files:");
      const { data } = pageOf(await ext(target, `GET /runs/${id}/files`));
      const listed = data.map(({ name, sent_as }) => ({ name, sent_as }));
      const byName = expected.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      expectEqual(listed, byName, "the list:");
    },
  },
  {
    name: "ext uploads: a file of 1 MB is sent first and named by two creates",
    async run(target) {
      const content = randomBytes(1_000_000);
      const upload = await begin(target, "data.bin", content);
      const status = await put(target, upload, content);
      expect(status >= 200 && status < 300, "2xx for the content", String(status));
      for (let create = 0; create < 2; create++) {
        const input = create === 0 ? {} : { input_text: "Reply with one word." };
        const { id } = await newRun(target, { uploads: [upload["upload_id"]], ...input });
        if (create > 0) await ended(target, id);
        expectEqual(sha256((await download(target, id, "data.bin")).bytes), sha256(content), "SHA-256");
      }
    },
  },
  {
    name: "ext uploads: another content is rejected, and the upload stays incomplete",
    async run(target) {
      const content = randomBytes(1_000);
      const upload = await begin(target, "data.bin", content);
      for (const wrong of [randomBytes(1_000), randomBytes(999)]) {
        const status = await put(target, upload, wrong);
        expect(status >= 400 && status < 500, "4xx for another content", String(status));
      }
      const response = await ext(target, "POST /runs", {
        body: { name: "conformance", uploads: [upload["upload_id"]] },
      });
      expectCode(response, 422, "upload_incomplete");
    },
  },
  {
    name: "ext uploads: an unknown upload is 422, one that is too large 413",
    async run(target) {
      const body = { name: "conformance", uploads: [randomUUID()] };
      expectCode(await ext(target, "POST /runs", { body }), 422, "upload_not_found");
      const max = Number(bodyOf(await ext(target, "GET /agent"), 200)["max_upload_bytes"]);
      expect(max >= 1_000_000, "max_upload_bytes of at least 1 MB", String(max));
      const large = { filename: "a", size: max + 1, sha256: sha256(new Uint8Array()) };
      expectCode(await ext(target, "POST /uploads", { body: large }), 413, "upload_too_large");
    },
  },
  {
    name: "ext uploads: rejects a body without filename, size or SHA-256",
    async run(target) {
      const valid = { filename: "a", size: 1, sha256: sha256(new Uint8Array(1)) };
      for (const field of Object.keys(valid)) {
        const response = await ext(target, "POST /uploads", { body: { ...valid, [field]: undefined } });
        expectCode(response, 422, "invalid_request");
        expect(describe(response).includes(field), `an issue about ${field}`, describe(response));
      }
    },
  },
];
