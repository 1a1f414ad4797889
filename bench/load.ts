import { connect, type Socket } from "node:net";
import type { Server } from "./servers.ts";

// The client speaks just enough HTTP/1.1 over a bare socket that it costs a fraction of what it measures; node:http's
// own client takes about as long per request as the floor.

export interface Answer {
  status: number;
  /** Milliseconds from the first byte sent to the last one received. */
  milliseconds: number;
  text(): string;
}

/** One keep-alive connection, one request at a time. */
export interface Connection {
  send(request: string | Buffer): Promise<Answer>;
  close(): void;
}

const headEnd = Buffer.from("\r\n\r\n");
const lastChunk = "\r\n0\r\n\r\n";

export async function openConnection({ port }: Pick<Server, "port">): Promise<Connection> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return {
    send: (request) => exchange(socket, request),
    close: () => socket.destroy(),
  };
}

function exchange(socket: Socket, request: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const parts: Buffer[] = [];
    let size = 0;
    let wanted = -1; // bytes with the head; Infinity for a chunked body; -1 before the head is complete
    let bodyStart = 0;

    function onData(chunk: Buffer): void {
      parts.push(chunk);
      size += chunk.length;
      if (wanted < 0) readHead();
      if (wanted < 0 || (wanted === Infinity ? !endsWithLastChunk(parts) : size < wanted)) return;
      settle();
      const whole = Buffer.concat(parts);
      resolve({
        status: Number(whole.toString("latin1", 9, 12)),
        milliseconds: performance.now() - begun,
        text: () => (wanted === Infinity ? dechunk(whole.subarray(bodyStart)) : whole.toString("utf8", bodyStart)),
      });
    }
    function readHead(): void {
      const received = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
      const end = received.indexOf(headEnd);
      if (end < 0) return;
      bodyStart = end + headEnd.length;
      const length = /^content-length: *(\d+)/im.exec(received.toString("latin1", 0, end))?.[1];
      wanted = length === undefined ? Infinity : bodyStart + Number(length);
    }
    function onEnd(): void {
      settle();
      reject(new Error("the server closed the connection instead of answering"));
    }
    function settle(): void {
      socket.off("data", onData).off("close", onEnd);
    }
    socket.on("data", onData).once("close", onEnd);
    socket.write(request);
  });
}

function endsWithLastChunk(parts: Buffer[]): boolean {
  const tail = Buffer.concat(parts.slice(-lastChunk.length)); // each part holds at least a byte
  return tail.toString("latin1", Math.max(0, tail.length - lastChunk.length)) === lastChunk;
}

function dechunk(body: Buffer): string {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = body.indexOf("\r\n", at);
    const length = Number.parseInt(body.toString("latin1", at, lineEnd), 16);
    if (!(length > 0)) return Buffer.concat(chunks).toString();
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}

export function createRequest({ apiKey, templateId }: Server, fields: object): Buffer {
  const body = Buffer.from(JSON.stringify({ name: "bench", template_id: templateId, ...fields }));
  return Buffer.concat([head("POST", "/v1/agents", apiKey, body.length), body]);
}

export function getRequest({ apiKey }: Server, runId: string): Buffer {
  return head("GET", `/v1/agents/${runId}`, apiKey);
}

export function head(method: string, path: string, apiKey: string, bodyLength?: number): Buffer {
  const content = bodyLength === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${bodyLength}\r\n`;
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n${content}\r\n`,
  );
}

/** Sends and checks the status. Throws with what the server said when it is another. */
export async function expectAnswer(connection: Connection, request: Buffer, status: number): Promise<Answer> {
  const answer = await connection.send(request);
  if (answer.status === status) return answer;
  throw new Error(`expected ${status}, received ${answer.status}: ${answer.text().slice(0, 1_000)}`);
}

/** Has every connection send `request` again and again for so long; resolves with each answer's milliseconds. */
export async function hammer(
  connections: Connection[],
  request: Buffer,
  status: number,
  milliseconds: number,
): Promise<number[]> {
  const until = performance.now() + milliseconds;
  const times: number[] = [];
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until) times.push((await expectAnswer(connection, request, status)).milliseconds);
    }),
  );
  return times;
}
