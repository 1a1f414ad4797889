import { execFileSync } from "node:child_process";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { layout } from "../../../src/layout.ts";
import { parseFacts, probeScript } from "../../../src/sandbox/linux/bubblewrap/probe.ts";

const script = probeScript(layout().environment);

/** A folder with links to these programs of this machine, as the only folder of a PATH. */
function pathWith(programs: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "probe-"));
  for (const program of programs) {
    const path = execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim();
    symlinkSync(path, join(folder, program));
  }
  return folder;
}

function probe(path: string, ...args: string[]): string {
  const PATH = path === "" ? (process.env["PATH"] ?? "") : path;
  return execFileSync("/bin/sh", ["-c", script, "probe", ...args], { env: { PATH }, encoding: "utf8" });
}

const needed = ["cat", "cut", "grep", "head", "sha256sum", "tr"];

function digestOf(programs: string[]): string {
  return parseFacts(probe(pathWith(programs))).digest;
}

describe.skipIf(process.platform !== "linux")("the probe", () => {
  it("prints the versions that programs and libraries of this machine have", () => {
    const facts = parseFacts(probe(""));
    const bash = execFileSync("bash", ["-c", "echo ${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}.${BASH_VERSINFO[2]}"]);
    expect(facts.programs["bash"]).toBe(String(bash).trim());
    expect(facts.programs["node"]).toBe(process.versions.node);
    expect(facts.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(facts.system).toMatch(/^\S/);
  });

  it("works without Python, and does not name what is missing", () => {
    const facts = parseFacts(probe(pathWith([...needed, "sed"])));
    expect(Object.keys(facts.programs)).toEqual(["coreutils", "sed", "grep"]);
    expect(facts.python).toEqual({ version: "", libraries: {} });
  });

  it("the same programs have the same digest, and others another", () => {
    expect(digestOf(needed)).toBe(digestOf(needed));
    expect(digestOf(needed)).not.toBe(digestOf([...needed, "sed"]));
  });

  it("a program that fails or prints no version is left out", () => {
    const folder = pathWith(needed);
    writeFileSync(join(folder, "jq"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
    expect(Object.keys(parseFacts(probe(folder)).programs)).toEqual(["coreutils", "grep"]);
  });

  it("name and digest can be given", () => {
    const given = `sha256:${"5".repeat(64)}`;
    expect(parseFacts(probe("", "reports", given))).toMatchObject({ name: "reports", digest: given });
  });
});

test("facts that are not complete are refused with the field", () => {
  const facts = { name: "linux", digest: `sha256:${"a".repeat(64)}`, system: "Debian 13", programs: { jq: "1.7" } };
  const python = { version: "3.13.5", libraries: {} };
  expect(parseFacts(JSON.stringify({ ...facts, python })).programs).toEqual({ jq: "1.7" });
  expect(() => parseFacts("{")).toThrow("the description is not JSON");
  expect(() => parseFacts("[]")).toThrow("the description is [] instead of an object");
  expect(() => parseFacts(JSON.stringify(facts))).toThrow("python is missing instead of an object");
  expect(() => parseFacts(JSON.stringify({ ...facts, python, digest: "sha256:1" }))).toThrow('digest is "sha256:1"');
  expect(() => parseFacts(JSON.stringify({ ...facts, python, programs: { jq: 1 } }))).toThrow(
    "programs.jq is 1 instead of a text",
  );
});
