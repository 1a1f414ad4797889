import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Driver, type Outcome, pythonDriver, typescriptDriver } from "./driver.ts";
import { json, type ScriptedServer, scriptedServer, text } from "./scripted-server.ts";

const id = "11111111-2222-4333-8444-555555555555";
const agent = json(200, { id: "a", name: "Test", max_inline_bytes: 10, max_upload_bytes: 100 });

const drivers: Record<string, () => Driver | Promise<Driver>> = {
  TypeScript: typescriptDriver,
  Python: () => pythonDriver("sync"),
  "Python with asyncio": () => pythonDriver("async"),
};

describe.each(Object.keys(drivers))("%s: a download", (language) => {
  const root = mkdtempSync(join(tmpdir(), "agent-runs-"));
  const [folder, outside] = [join(root, "target"), join(root, "outside")];
  let driver: Driver;
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await scriptedServer();
    driver = await drivers[language]!();
  });
  afterAll(async () => {
    await driver[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    rmSync(root, { recursive: true });
  });
  beforeEach(() => {
    for (const each of [folder, outside]) {
      rmSync(each, { recursive: true, force: true });
      mkdirSync(each);
    }
  });

  async function download(name: string, to = folder): Promise<Outcome & { calls: string[] }> {
    const { url, received } = server.script(agent, text(200, "application/octet-stream", "content"));
    const outcome = await driver.run({ baseUrl: url, method: "download", args: [id, name], options: { to } });
    return { ...outcome, calls: received.map(({ call }) => call) };
  }

  test("sends the name encoded, and creates its sub-folders in a folder", async () => {
    const { value, calls } = await download("reports/2026/März 1.csv");
    const path = join(folder, "reports", "2026", "März 1.csv");
    expect(calls).toEqual(["GET /ext/v1/agent", `GET /ext/v1/runs/${id}/files/reports%2F2026%2FM%C3%A4rz%201.csv`]);
    expect([value, readFileSync(path, "utf8")]).toEqual([path, "content"]);
    expect((await download("reports/2026/März 1.csv")).error).toBeUndefined();
    expect((await download("reports/b.csv", join(folder, "other.csv"))).value).toBe(join(folder, "other.csv"));
    expect(readdirSync(folder).toSorted()).toEqual(["other.csv", "reports"]);
  });

  test.each(["../a", "reports/../../a", "/a", "a//b", "reports/", ".", "reports/.", "a\0b"])(
    "does not save the name %j in a folder",
    async (name) => {
      const { error } = await download(name);
      expect(error).toMatchObject({ name: "InvalidArgument" });
      expect(error?.message).toContain("would not be a file in");
      expect([existsSync(join(root, "a")), readdirSync(outside)]).toEqual([false, []]);
    },
  );

  test("follows no symbolic link out of the folder", async () => {
    symlinkSync(outside, join(folder, "reports"));
    writeFileSync(join(outside, "file"), "kept");
    symlinkSync(join(outside, "file"), join(folder, "link"));
    for (const name of ["reports/a.csv", "reports/new/a.csv", "link"]) {
      expect((await download(name)).error?.message).toContain("would not be a file in");
    }
    expect([readdirSync(outside), readFileSync(join(outside, "file"), "utf8")]).toEqual([["file"], "kept"]);
  });
});
