import { createHash } from "node:crypto";
import { expect } from "vitest";
import { agent, type Case, id } from "./case.ts";
import { json, type Received, type Reply, text } from "./scripted-server.ts";

const content = "0123456789";
const etag = `"${createHash("sha256").update(content).digest("hex")}"`;
const job = { method: "download", args: [id, "a.txt"] };

/** Sends a part of the file, and closes the connection. `headers`: null for one that is left out. */
function cut(status: number, part: string, headers: Record<string, string | null>): Reply {
  const given = Object.entries({ "content-length": "10", etag, ...headers }).filter(([, value]) => value !== null);
  return (response) => {
    response.writeHead(status, Object.fromEntries(given) as Record<string, string>);
    response.write(part, () => response.destroy());
  };
}

const rest = (from: number, headers: Record<string, string> = {}): Reply =>
  text(206, "application/octet-stream", content.slice(from), {
    etag,
    "content-range": `bytes ${from}-9/10`,
    ...headers,
  });
const whole = (body = content, headers: Record<string, string> = { etag }): Reply =>
  text(200, "application/octet-stream", body, headers);

/** The ranges that requests asked for, and of which content. */
const ranges = (received: Received[]) =>
  received.slice(1).map(({ headers }) => [headers.range, headers["if-range"]].filter((each) => each !== undefined));

export const downloads: Record<string, Case> = {
  "continues a download that was cut, as often as it has to": {
    replies: [
      agent,
      cut(200, "01", {}),
      ...[2, 3, 4, 5, 6, 7].map((from) =>
        cut(206, content.charAt(from), { "content-length": String(10 - from), "content-range": `bytes ${from}-9/10` }),
      ),
      rest(8),
    ],
    job,
    expected: (received) => {
      const asked = [2, 3, 4, 5, 6, 7, 8].map((from) => [`bytes=${from}-`, etag]);
      expect(ranges(received)).toEqual([[], ...asked]);
      return { value: content, sleeps: asked.map(() => 1_000) };
    },
  },
  "begins a download anew when the file has changed": {
    replies: [agent, cut(200, "abc", { etag: '"old"' }), whole()],
    job,
    expected: (received) => {
      expect(ranges(received)).toEqual([[], ["bytes=3-", '"old"']]);
      return { value: content };
    },
  },
  "begins a download anew when the answer is not the rest": {
    replies: [
      agent,
      cut(200, "012", {}),
      rest(3, { etag: '"other"' }),
      cut(200, "01234", {}),
      rest(2), // not what was asked for
      whole(),
    ],
    job,
    expected: (received) => {
      expect(ranges(received)).toEqual([[], ["bytes=3-", etag], [], ["bytes=5-", etag], []]);
      return { value: content };
    },
  },
  "begins a download anew when nothing is left to ask for": {
    replies: [
      agent,
      cut(200, content, { "content-length": "11" }),
      json(416, { detail: "The file has 10 bytes" }),
      whole(),
    ],
    job,
    expected: (received) => {
      expect(ranges(received)).toEqual([[], ["bytes=10-", etag], []]);
      return { value: content };
    },
  },
  "begins a download anew when the server does not say which content it is": {
    replies: [agent, cut(200, "012", { etag: null }), cut(200, "01234", { etag: `W/${etag}` }), whole(content, {})],
    job,
    expected: (received) => {
      expect(ranges(received)).toEqual([[], [], []]);
      return { value: content };
    },
  },
  "continues a download with an ETag that is no SHA-256": {
    replies: [agent, cut(200, "012", { etag: '"md5-1"' }), rest(3, { etag: '"md5-1"' })],
    job,
    expected: () => ({ value: content }),
  },
  "rejects a download with another SHA-256 than the server says": {
    replies: [agent, whole("another content")],
    job,
    expected: () => ({
      error: { name: "UnexpectedResponse", message: expect.stringMatching(/15 bytes with the SHA-256 [0-9a-f]{64}; /) },
    }),
  },
  "rejects a part that it did not ask for": {
    replies: [agent, rest(3)],
    job,
    expected: () => ({ error: { name: "UnexpectedResponse", message: expect.stringContaining("a part of the file") } }),
  },
  "gives up a download that makes no progress": {
    replies: [agent, cut(200, "01", {}), ...[1, 2, 3].map(() => cut(503, "", { "content-length": "1" }))],
    job,
    expected: () => ({ error: { name: "ConnectionFailed" }, sleeps: [1_000, 2_000, 4_000] }),
  },
  "downloads an empty file": {
    replies: [agent, whole("", {})],
    job,
    expected: () => ({ value: "" }),
  },
};
