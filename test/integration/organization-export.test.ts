import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { answersWithResult, callsTool, chatServer } from "../providers/chat-completions-server.ts";
import { done, rejected } from "./admin.ts";
import { createRun, finished, modelAt, newDataDir, startService } from "./service.ts";

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

test("an organization is exported as one archive, with a hash of each file and without secrets", async () => {
  await using server = await chatServer(
    callsTool("write_file", { name: "reports/ä long name.txt", content: "What the agent wrote." }),
    answersWithResult,
  );
  await using service = await startService(newDataDir(), modelAt(server.baseUrl));
  const { dataDir, apiKey, templateId } = service;
  const set = ["webhook", "set", "--agent", templateId, "--url", "http://127.0.0.1:9/", "--private-addresses"];
  const { secret } = (await done(dataDir, ...set)) as Record<string, string>;
  const files = [{ filename: "in.txt", content_base64: Buffer.from("What the client sent.").toString("base64") }];
  const runId = await createRun(service, { input_text: "Write a report.", files });
  await finished(service, runId);
  const { organization_id: organization } = (await done(dataDir, "agent", "show", templateId)) as Record<
    string,
    string
  >;

  using folder = mkdtempDisposableSync(join(tmpdir(), "export-"));
  const archive = join(folder.path, "export.tar.zst");
  const result = await done(dataDir, "organization", "export", organization ?? "", "--to", archive);
  expect(result).toMatchObject({ id: organization, to: archive, agents: 1, runs: 1 });
  expect(await rejected(dataDir, "org", "export", organization ?? "", "--to", archive)).toContain("pass --force");
  const plain = zstdDecompressSync(readFileSync(archive));
  for (const hidden of [apiKey, secret, sha256(Buffer.from(apiKey))]) {
    expect(hidden).toMatch(/[\w+/]{20}/);
    expect(plain.includes(hidden ?? "")).toBe(false);
  }

  const out = join(folder.path, "out");
  mkdirSync(out);
  writeFileSync(join(folder.path, "export.tar"), plain);
  execFileSync("tar", ["-xf", join(folder.path, "export.tar"), "-C", out]);
  const json = (name: string) => JSON.parse(readFileSync(join(out, name), "utf8")) as Record<string, unknown>;
  const listed = (base: string) =>
    (json(`${base}manifest.json`)["files"] as { name: string; bytes: number; sha256: string }[]).map((file) => {
      const content = readFileSync(join(out, base + file.name));
      expect([file.name, content.length, sha256(content)]).toEqual([file.name, file.bytes, file.sha256]);
      return file.name;
    });
  const [run, agent] = [`runs/${runId}/`, `agents/${templateId}/`];
  expect(listed("")).toEqual(
    expect.arrayContaining([
      "organization.json",
      `${agent}agent.json`,
      `${agent}versions/1.json`,
      `${agent}webhook.json`,
      `${agent}keys.json`,
      `${run}manifest.json`,
      "usage.json",
      "audit-1.ndjson",
    ]),
  );
  expect(json("manifest.json")).toMatchObject({
    version: 1,
    organization: { id: organization },
    counts: { agents: 1, runs: 1 },
  });
  const contents = ["What the client sent.", "What the agent wrote."].map(
    (text) => `contents/${sha256(Buffer.from(text))}`,
  );
  expect(listed(run)).toEqual(expect.arrayContaining(["run.json", "events-000001.ndjson", ...contents]));
  expect(listed(run).filter((name) => name.startsWith("configurations/"))).toHaveLength(1);
  const events = readFileSync(join(out, run, "events-000001.ndjson"), "utf8")
    .trim()
    .split("\n");
  expect(events.map((line) => (JSON.parse(line) as { sequence: number }).sequence)).toEqual(
    events.map((_, n) => n + 1),
  );
  expect(events[0]).toContain("Write a report.");
  expect(events.length).toBeGreaterThan(3);
});
