import { connect } from "node:net";
import { beforeAll, expect, test } from "vitest";
import { headersOf, startUploadServer, type UploadServerProcess } from "./upload-process.ts";

let service: UploadServerProcess;
beforeAll(async () => {
  service = await startUploadServer("fargate");
  return () => service.end();
});

/** Sends a text, then repeats another every 200 ms. Resolves with the response, and the time until it came. */
function send(text: string, repeated = ""): Promise<{ response: string; milliseconds: number }> {
  return new Promise((resolve) => {
    const started = performance.now();
    const socket = connect(service.port);
    let response = "";
    socket.on("data", (chunk) => (response += chunk.toString()));
    socket.on("error", () => {});
    socket.write(text);
    const timer = setInterval(() => socket.write(repeated), 200);
    socket.once("close", () => {
      clearInterval(timer);
      resolve({ response, milliseconds: performance.now() - started });
    });
  });
}

test.concurrent("a body that stops is 408 after 10 s", async () => {
  const headers = Object.entries({ host: "origin", ...headersOf(service), "content-length": 14_000_000 });
  const head = `POST /v1/agents HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}`).join("\r\n")}`;
  const { response, milliseconds } = await send(`${head}\r\n\r\n${"a".repeat(1024 * 1024)}`);
  expect(response).toMatch(/^HTTP\/1.1 408 .*"detail"/s);
  expect(milliseconds).toBeGreaterThan(9_000);
});

test.concurrent("headers that arrive byte by byte are 408 after 10 s", async () => {
  const { response, milliseconds } = await send("POST /v1/agents HTTP/1.1\r\nx-slow: ", "x");
  expect(response).toMatch(/^HTTP\/1.1 408 .*"detail"/s);
  expect(milliseconds).toBeGreaterThan(9_000);
});
