import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  describeEnvironment,
  environmentsFolder,
  type InstalledEnvironment,
  listEnvironments,
  readEnvironment,
} from "../../../src/sandbox/linux/environments.ts";

const facts = {
  name: "linux",
  digest: `sha256:${"a".repeat(64)}`,
  system: "Debian 13",
  programs: { jq: "1.7" },
  python: { version: "3.13.5", libraries: { pandas: "3.1.1" } },
};

/** A folder of environments with this `environment.json` for `linux`. */
function withDescription(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "environments-"));
  mkdirSync(join(folder, "linux"));
  writeFileSync(join(folder, "linux", "environment.json"), text);
  return folder;
}

describe("the folder of environments", () => {
  it("is that of the variable, of the user's data, or of root", () => {
    expect(environmentsFolder({ AGENT_RUN_ENVIRONMENTS: "/srv/e", XDG_DATA_HOME: "/d" }, true)).toBe("/srv/e");
    expect(environmentsFolder({ XDG_DATA_HOME: "/d" }, false)).toBe(join("/d", "agent-run-service", "environments"));
    expect(environmentsFolder({ XDG_DATA_HOME: "relative" }, false)).toBe(
      join(homedir(), ".local/share/agent-run-service/environments"),
    );
    expect(environmentsFolder({}, true)).toBe("/var/lib/agent-run-service/environments");
  });

  it("may be missing", () => {
    const missing = join(mkdtempSync(join(tmpdir(), "environments-")), "none");
    expect(listEnvironments(missing)).toEqual([]);
    expect(readEnvironment(missing, "linux")).toBeUndefined();
  });

  it("lists no folders that are not complete, and no files", () => {
    const folder = withDescription("{}");
    mkdirSync(join(folder, ".installing-1-abc"));
    mkdirSync(join(folder, "a-second"));
    writeFileSync(join(folder, "notes"), "");
    expect(listEnvironments(folder)).toEqual(["a-second", "linux"]);
    expect(readEnvironment(folder, ".installing-1-abc")).toBeUndefined();
    expect(readEnvironment(folder, "../linux")).toBeUndefined();
  });
});

describe("an installed environment", () => {
  it.each<[string, (folder: string) => InstalledEnvironment]>([
    ["folder", (folder) => ({ facts, root: join(folder, "linux", "rootfs") })],
    ["of the service", (folder) => ({ facts, root: join(folder, "linux", "rootfs"), sources: facts.digest })],
    ["image", () => ({ facts, image: "localhost/agent-environment-linux:1", engine: "podman" })],
  ])("is read as it was written: %s", (_, environment) => {
    const folder = withDescription(describeEnvironment(environment("")));
    expect(readEnvironment(folder, "linux")).toEqual(environment(folder));
  });

  it.each([
    ["{", "is not JSON"],
    ["{}", "the description is missing instead of an object"],
    [JSON.stringify({ where: { kind: "rootfs" }, facts: { ...facts, digest: "?" } }), 'digest is "?"'],
    [JSON.stringify({ where: { kind: "image", image: "x", engine: "lxc" }, facts }), '"where" is {"kind":"image"'],
    [JSON.stringify({ facts }), '"where" is missing'],
  ])("that is damaged is an error with the file: %s", (text, problem) => {
    const folder = withDescription(text);
    expect(() => readEnvironment(folder, "linux")).toThrow(problem);
    expect(() => readEnvironment(folder, "linux")).toThrow(join(folder, "linux", "environment.json"));
    expect(() => readEnvironment(folder, "linux")).toThrow("install the environment again");
  });
});
