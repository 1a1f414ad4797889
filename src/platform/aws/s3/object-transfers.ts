import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { partsOf } from "../../../sandbox/linux/untrusted-folder.ts";
import type { SignedForm } from "./signed-objects.ts";

/** S3 did not answer, or not with the object. */
export class TransferFailed extends Error {}

/** Sends signed requests to one bucket, from a network without DNS. */
export interface ObjectTransfers {
  /** Writes an object to a new file. Resolves with when it was stored, in milliseconds since 1970. Rejects with `TransferFailed`, also when it has another SHA-256. */
  download(url: string, path: string, sha256: string): Promise<number>;
  /** Sends a file, or a text, as the object `name` below the prefix of the form. */
  upload(form: SignedForm, name: string, content: { file: FileHandle } | { text: string }): Promise<void>;
  /** Whether there is an object. False also when S3 does not answer. */
  exists(url: string): Promise<boolean>;
  close(): void;
}

/** Connections at the same time. More do not make a function with one or two processors faster. */
export const concurrentTransfers = 16;
const attempts = 3;
/** Milliseconds without a byte after which a connection is given up. */
const idleTimeout = 10_000;

/** `addresses`: those of the bucket's host. The name of the host is still checked in its certificate. Empty: looked up. */
export function objectTransfers(addresses: string[]): ObjectTransfers {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const lookup: LookupFunction = (_host, options, callback) => {
    const [first = { address: "", family: 4 }] = found;
    if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  };
  const settings = {
    keepAlive: true,
    maxSockets: concurrentTransfers,
    timeout: idleTimeout,
    ...(found.length > 0 && { lookup }),
  };
  const agents = { "http:": new HttpAgent(settings), "https:": new HttpsAgent(settings) };

  function send(url: string, options: { method: string; headers?: Record<string, string | number> }): ClientRequest {
    const { protocol } = new URL(url);
    const request =
      protocol === "https:"
        ? httpsRequest(url, { ...options, agent: agents["https:"] })
        : httpRequest(url, { ...options, agent: agents["http:"] });
    return request.once("timeout", () => request.destroy(new Error("no answer for ten seconds")));
  }

  return {
    download: (url, path, sha256) =>
      withRetries(async () => {
        const response = await answerOf(send(url, { method: "GET" }), (request) => request.end());
        if (response.statusCode !== 200) throw await failure(response);
        const hash = createHash("sha256");
        response.on("data", (part: Buffer) => hash.update(part));
        await pipeline(response, createWriteStream(path, { mode: 0o644 }));
        if (hash.digest("hex") !== sha256) throw new TransferFailed(`an object does not have the SHA-256 ${sha256}`);
        return Date.parse(response.headers["last-modified"] ?? "") || 0;
      }),

    upload: (form, name, content) =>
      withRetries(async () => {
        const boundary = randomUUID();
        const fields = Object.entries({ ...form.fields, key: form.prefix + name }).map(
          ([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
        );
        const start = `${fields.join("")}--${boundary}\r\nContent-Disposition: form-data; name="file"\r\n\r\n`;
        const end = `\r\n--${boundary}--\r\n`;
        const bytes = "text" in content ? Buffer.byteLength(content.text) : (await content.file.stat()).size;
        const headers = {
          "content-type": `multipart/form-data; boundary=${boundary}`,
          "content-length": Buffer.byteLength(start) + bytes + Buffer.byteLength(end),
        };
        const response = await answerOf(send(form.url, { method: "POST", headers }), (request) =>
          pipeline(async function* () {
            yield start;
            if ("text" in content) yield content.text;
            // Copied: the request may keep a part that it has not sent yet.
            else for await (const part of partsOf(content.file)) yield Buffer.from(part);
            yield end;
          }, request),
        );
        if ((response.statusCode ?? 0) >= 300) throw await failure(response);
        response.resume();
      }),

    async exists(url) {
      try {
        const response = await answerOf(send(url, { method: "GET" }), (request) => request.end());
        response.resume();
        return response.statusCode === 200;
      } catch {
        return false;
      }
    },

    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Sends a request with `write`. An answer that comes before its end is used: S3 refuses a form that is too large. */
async function answerOf(request: ClientRequest, write: (request: ClientRequest) => unknown): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once("response", resolve).on("error", reject);
  Promise.resolve(write(request)).catch(reject);
  return promise;
}

async function failure(response: IncomingMessage): Promise<TransferFailed> {
  const answer = await text(response).catch(() => "");
  const [, code = ""] = /<Code>([^<]+)</.exec(answer) ?? [];
  return new TransferFailed(`S3 answered ${response.statusCode} ${code}`.trim());
}

async function withRetries<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts) throw new TransferFailed((error as Error).message || String(error), { cause: error });
    }
    await sleep(100 * 4 ** attempt);
  }
}
