import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answersWithResult, callsTool, type Reply } from "../providers/chat-completions-server.ts";
import { modelServer } from "../providers/model-server.ts";
import { create, createRun, finished, modelAt, newDataDir, read, type Service, startService } from "./service.ts";

/** A file system of 20 MB in memory. Throws where this process may not mount one. */
function smallFileSystem(): Disposable & { path: string } {
  const parent = newDataDir();
  const path = join(parent, "mounted");
  mkdirSync(path);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=20m", "tmpfs", path], { stdio: "pipe" });
  } catch (error) {
    rmSync(parent, { recursive: true });
    throw error;
  }
  return {
    path,
    [Symbol.dispose]() {
      execFileSync("umount", ["--lazy", path]);
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** Takes all free space. Returns the file to delete. */
function fill(folder: string): string {
  const file = join(folder, "filler");
  const handle = openSync(file, "w");
  for (const bytes of [1 << 20, 1 << 12]) {
    try {
      for (;;) writeSync(handle, Buffer.alloc(bytes));
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
    }
  }
  closeSync(handle);
  return file;
}

const held = Promise.withResolvers<undefined>();
const content = "0123456789".repeat(30_000);

/** Asks for a file of 300 KB when the disk is full, then repeats the tool's result. */
const writesFile: Reply = async (response, received) => {
  const messages = received.body["messages"] as { role: string }[];
  if (messages.at(-1)?.role === "tool") return answersWithResult(response, received);
  await held.promise;
  return callsTool("write_file", { name: "out.txt", content })(response, received);
};

function ext(service: Service, method: string, path: string, body?: object | Buffer): Promise<Response> {
  const isBytes = Buffer.isBuffer(body);
  return fetch(`${service.baseUrl}/ext/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      ...(body && { "content-type": isBytes ? "application/octet-stream" : "application/json" }),
    },
    ...(body && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
  });
}

async function expectRefusal(response: Response): Promise<void> {
  const { detail } = (await response.json()) as { detail: string };
  expect([response.status, detail]).toEqual([503, expect.stringMatching(/^Not enough disk space to (receive|store)/)]);
  expect(response.headers.get("retry-after")).toBe("5");
}

test("on a full disk, creates are refused, runs wait, and all finish when there is space again", async (context) => {
  let disk: ReturnType<typeof smallFileSystem> | undefined;
  try {
    disk = smallFileSystem();
  } catch (error) {
    return context.skip(`this process may not mount a file system (${(error as Error).message.trim()})`);
  }
  using mounted = disk;
  const dataDir = join(mounted.path, "data");
  await using model = await modelServer(...Array.from({ length: 5_000 }, () => writesFile));
  const options = [dataDir, modelAt(model.baseUrl)] as const;
  await using service = await startService(...options);
  let log = "";
  service.child.stderr?.on("data", (chunk: Buffer) => (log += chunk.toString()));

  const runs = await Promise.all(Array.from({ length: 3 }, () => createRun(service, { input_text: "Write." })));
  await expect.poll(() => model.received.length, { timeout: 20_000 }).toBe(3);
  const bytes = Buffer.alloc(1 << 20, "u");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const announced = await ext(service, "POST", "/uploads", { filename: "u.bin", size: bytes.length, sha256 });
  const { upload_id: uploadId } = (await announced.json()) as { upload_id: string };
  const filler = fill(mounted.path);

  const health = async (): Promise<unknown> => (await fetch(`${service.baseUrl}/healthz`)).json();
  expect(await health()).toEqual({ status: "unavailable", reason: "The disk of the data directory is full." });

  // The log of the database may have some free pages left.
  for (let tries = 0; ; tries++) {
    const response = await create(service, { input_text: "Write.\n".repeat(2_000) });
    if (response.status !== 201) {
      await expectRefusal(response);
      break;
    }
    runs.push(((await response.json()) as { agent_id: string }).agent_id);
    expect(tries).toBeLessThan(1_000);
  }
  const [small, spooled] = [Buffer.alloc(50_000, "s"), Buffer.alloc(1 << 20, "l")].map((file) => ({
    input_text: "Write.",
    files: [{ filename: "in.txt", content_base64: file.toString("base64") }],
  }));
  await expectRefusal(await create(service, small ?? {}));
  await expectRefusal(await create(service, spooled ?? {}));
  await expectRefusal(await ext(service, "PUT", `/uploads/${uploadId}`, bytes));
  await expectRefusal(await ext(service, "POST", "/runs", { name: "n", input_text: "Write.\n".repeat(2_000) }));
  await expectRefusal(await ext(service, "POST", `/runs/${runs[0]}/input`, { input_text: "More.\n".repeat(2_000) }));

  held.resolve(undefined);
  const waiting = (id: string): boolean => log.includes(`turn will be retried`) && log.includes(id);
  await expect.poll(() => runs.slice(0, 3).every(waiting), { timeout: 60_000 }).toBe(true);
  for (const id of runs) expect((await read(service, id)).loop_status).toBe("running");

  rmSync(filler);
  const expectAllFinished = async (of: Service): Promise<void> => {
    for (const id of runs) {
      const { loop_status: status, transcript } = await finished(of, id);
      expect([status, transcript.map(({ role }) => role)]).toEqual([
        "finished",
        ["input_to_agent", "output_from_agent"],
      ]);
      const file = await ext(of, "GET", `/runs/${id}/files/out.txt`);
      expect([file.status, await file.text()]).toEqual([200, content]);
    }
    const { data } = (await (await ext(of, "GET", "/runs?limit=200")).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id).toSorted()).toEqual(runs.toSorted()); // no refused create has left a run
  };
  await expectAllFinished(service);
  expect(await health()).toEqual({ status: "ready" });
  expect((await ext(service, "PUT", `/uploads/${uploadId}`, bytes)).status).toBe(204);
  const again = await ext(service, "POST", "/runs", { name: "n", input_text: "Write.", uploads: [uploadId] });
  expect(again.status).toBe(201);
  runs.push(((await again.json()) as { id: string }).id);
  await expectAllFinished(service);

  await service.end("SIGTERM");
  await using restarted = await startService(...options);
  await expectAllFinished({ ...restarted, apiKey: service.apiKey });
});
