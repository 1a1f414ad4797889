import { connect, type Socket } from "node:net";
import type { Server } from "./servers.ts";

// A minimal HTTP/1.1 client on a bare socket. node:http's client takes about as long per request as the floor server.

export interface Answer {
  status: number;
  /** From the first byte sent to the last byte received. */
  milliseconds: number;
  text(): string;
}

/** A keep-alive connection, one request at a time. */
export interface Connection {
  send(request: Buffer): Promise<Answer>;
  close(): void;
}

export async function openConnection({ port }: Pick<Server, "port">): Promise<Connection> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return { send: (request) => exchange(socket, request), close: () => socket.destroy() };
}

function exchange(socket: Socket, request: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const parts: Buffer[] = [];
    let received = 0;
    let bodyStart = 0; // 0 until the head is complete
    let total = Number.POSITIVE_INFINITY; // bytes of head and body

    function onData(part: Buffer): void {
      parts.push(part);
      received += part.length;
      if (bodyStart === 0) readHead();
      if (received < total) return;
      settle();
      const answer = Buffer.concat(parts);
      resolve({
        status: Number(answer.toString("latin1", 9, 12)),
        milliseconds: performance.now() - start,
        text: () => answer.toString("utf8", bodyStart),
      });
    }
    function readHead(): void {
      const text = Buffer.concat(parts).toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      bodyStart = end + 4;
      total = bodyStart + Number(/^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1]);
      if (Number.isNaN(total)) onError("the server's response has no content-length");
    }
    function onError(reason: string): void {
      settle();
      reject(new Error(reason));
    }
    const onClose = () => onError("the server closed the connection before responding");
    function settle(): void {
      socket.off("data", onData).off("close", onClose);
    }
    socket.on("data", onData).once("close", onClose);
    socket.write(request);
  });
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

/** Throws with the response's text if its status is not the expected one. */
export async function expectAnswer(connection: Connection, request: Buffer, status: number): Promise<Answer> {
  const answer = await connection.send(request);
  if (answer.status === status) return answer;
  throw new Error(`expected ${status}, received ${answer.status}: ${answer.text().slice(0, 1_000)}`);
}

/** Sends `request` repeatedly on every connection. Resolves with the milliseconds of each answer. */
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
