import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agent, id } from "./case.ts";
import { type Driver, drivers, type Outcome } from "./driver.ts";
import { cutBody, json, type Reply, type ScriptedServer, scriptedServer, text } from "./scripted-server.ts";

/** Sends three of seven bytes. */
const cutAfterThree: Reply = (response) => {
  response.writeHead(200, { etag: '"1"', "content-length": "7" }).write("con", () => response.destroy());
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

  const whole = text(200, "application/octet-stream", "content");

  async function download(name: string, to = folder, ...replies: Reply[]): Promise<Outcome & { calls: string[] }> {
    const { url, received } = server.script(agent, ...(replies.length > 0 ? replies : [whole]));
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

  test("that fails leaves the file of before, and nothing else", async () => {
    const target = join(folder, "a.csv");
    writeFileSync(target, "kept");
    const { url } = server.script(agent, ...[1, 2, 3, 4].map(() => cutBody(200, "new")));
    const outcome = await driver.run({
      baseUrl: url,
      method: "download",
      args: [id, "a.csv"],
      options: { to: target },
    });
    expect(outcome.error).toMatchObject({ name: "ConnectionFailed" });
    expect([readdirSync(folder), readFileSync(target, "utf8")]).toEqual([["a.csv"], "kept"]);
    const missing = await download("b.csv", folder, json(404, { detail: "none", code: "file_not_found" }));
    expect([missing.error?.name, readdirSync(folder)]).toEqual(["FileNotFound", ["a.csv"]]);
  });

  test("that was cut is continued in the file", async () => {
    const headers = { etag: '"1"', "content-range": "bytes 3-6/7" };
    const { value } = await download(
      "a.csv",
      folder,
      cutAfterThree,
      text(206, "application/octet-stream", "tent", headers),
    );
    expect([value, readFileSync(join(folder, "a.csv"), "utf8")]).toEqual([join(folder, "a.csv"), "content"]);
  });

  test("keeps the mode of a file that it replaces, and a link to it", async () => {
    const [target, link] = [join(outside, "a.csv"), join(folder, "link.csv")];
    writeFileSync(target, "old", { mode: 0o600 });
    symlinkSync(target, link);
    expect((await download("a.csv", link)).value).toBe(link);
    expect([readFileSync(target, "utf8"), statSync(target).mode & 0o777]).toEqual(["content", 0o600]);
    expect([lstatSync(link).isSymbolicLink(), readdirSync(outside)]).toEqual([true, ["a.csv"]]);
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
