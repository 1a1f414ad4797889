import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environment, run } from "../deploy/processes.ts";
import { root } from "../integration/script.ts";
import { type HttpServer, httpServer } from "../support/http-server.ts";
import { id } from "./case.ts";
import { python, pythonClient } from "./python.ts";

const MiB = 1024 * 1024;
const size = 300 * MiB;
const part = Buffer.alloc(MiB);
const sha256 = createHash("sha256");
for (let sent = 0; sent < size; sent += part.length) sha256.update(part);
const hash = sha256.digest("hex");

/** A service that receives and sends one file of 300 MiB, and does not keep it. */
class LargeFileService {
  received = 0;
  announced: string | undefined;

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = (body: object): unknown =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    const { method, url = "", headers } = request;
    if (method === "PUT") {
      this.announced = headers["content-length"];
      for await (const chunk of request) this.received += (chunk as Buffer).length;
      response.writeHead(204).end();
    } else if (url.endsWith("/agent")) json({ id: "a", max_inline_bytes: 10, max_upload_bytes: size, wait_seconds: 0 });
    else if (url.endsWith("/uploads")) json({ upload_id: "u", url: "/ext/v1/uploads/u", headers: {} });
    else if (url.endsWith("/runs")) json({ id, status: "finished", failure: null, finish_reason: null, usage: {} });
    else {
      response.writeHead(200, { "content-length": size, etag: `"${hash}"` });
      const parts = function* () {
        for (let sent = 0; sent < size; sent += part.length) yield part;
      };
      await pipeline(Readable.from(parts()), response);
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), "large-"));
const service = new LargeFileService();
let server: HttpServer;
beforeAll(async () => {
  server = await httpServer((request, response) => void service.answer(request, response));
  writeFileSync(join(folder, "sent.bin"), "");
  truncateSync(join(folder, "sent.bin"), size);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const typescript = `
import { AgentRuns } from ${JSON.stringify(join(root, "clients/typescript/src/index.ts"))};
const before = process.resourceUsage().maxRSS;
const run = await new AgentRuns().runs.create({ name: "Large", files: ["sent.bin"] });
await run.download("a.bin", { to: "received.bin" });
console.log(process.resourceUsage().maxRSS - before);`;

const inPython = `
import resource, agent_runs
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
client = agent_runs.AgentRuns()
run = client.runs.create(name="Large", files=["sent.bin"])
with open("sent.bin", "rb") as file:
    client.runs.create(name="Large", files=[file])
run.download("a.bin", to="received.bin")
print(peak() - before)`;

test.each([
  ["TypeScript", "program.mts", typescript, async () => process.execPath, 1],
  ["Python", "program.py", inPython, () => python("python"), 2],
] as const)(
  "%s: a file of 300 MiB is sent and saved without being held in memory",
  async (_, name, program, interpreter, sends) => {
    service.received = 0;
    writeFileSync(join(folder, name), program);
    const env = environment({ AGENT_RUN_URL: server.url, AGENT_RUN_KEY: "ak_1", PYTHONPATH: pythonClient });
    const command = 'cd "$1" && exec "$2" "$3"';
    const { stdout, stderr } = await run("sh", ["-c", command, "sh", folder, await interpreter(), name], { env });
    expect(stderr).toBe("");
    expect([service.received, service.announced]).toEqual([sends * size, String(size)]);
    expect(statSync(join(folder, "received.bin")).size).toBe(size);
    expect(Number(stdout)).toBeLessThan((size / 1024) * 0.5); // KiB
  },
);
