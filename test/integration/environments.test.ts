import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../bin/admin/main.ts";
import { inProcess } from "./admin.ts";

const facts = {
  name: "reports",
  digest: `sha256:${"b".repeat(64)}`,
  system: "Debian 13",
  programs: { jq: "1.7" },
  python: { version: "3.13.5", libraries: { pandas: "3.1.1" } },
};

/** A stand-in for podman's command line. BUILD is a command that its builds run, FACTS the description in its images. */
const podman = `#!/bin/sh
case $1 in
  build) eval "$BUILD" ;;
  cp) printf %s "$FACTS" > "$3" ;;
  export)
    folder=$(mktemp -d) && mkdir -p "$folder/etc" "$folder/usr/share/agent-environment"
    printf %s "$FACTS" > "$folder/usr/share/agent-environment/facts.json"
    echo 'nameserver 10.0.0.1' > "$folder/etc/resolv.conf"
    tar -C "$folder" -cf "$3" . ;;
esac
`;

/** A folder with sh and nothing else, for a PATH. */
function onlySh(): string {
  const programs = mkdtempSync(join(tmpdir(), "sh-"));
  symlinkSync("/bin/sh", join(programs, "sh"));
  return programs;
}

const before = { ...process.env };
let folder: string;
let dockerfile: string;

beforeEach(() => {
  const programs = mkdtempSync(join(tmpdir(), "programs-"));
  writeFileSync(join(programs, "podman"), podman, { mode: 0o755 });
  folder = join(mkdtempSync(join(tmpdir(), "environments-")), "all");
  dockerfile = join(programs, "Dockerfile");
  writeFileSync(dockerfile, "FROM scratch\n");
  const variables = { PATH: `${programs}:/usr/bin:/bin`, AGENT_RUN_ENVIRONMENTS: folder };
  Object.assign(process.env, variables, { FACTS: JSON.stringify(facts), BUILD: "echo STEP 1/1: FROM scratch" });
});
afterEach(() => {
  process.env = { ...before };
});

const environment = (...args: string[]) => inProcess(main, ["environment", ...args]);
const install = (...args: string[]) =>
  environment("install", "--name", "reports", "--file", dockerfile, "--with", "podman", ...args);

describe.skipIf(process.platform !== "linux")("environment", () => {
  it("install, list, show and remove work with an image", async () => {
    const installed = await install("--as", "image");
    expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining("jq 1.7") });
    expect(installed.stderr).toContain("STEP 1/1: FROM scratch");
    expect((await environment("list")).stdout).toMatch(
      /\nreports +Debian 13 +3\.13\.5 +image localhost\/agent-environment-/,
    );
    const shown = await environment("show", "reports", "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({ ...facts, engine: "podman" });
    expect((await environment("remove", "reports")).stdout).toBe("Removed reports.\n");
    expect((await environment("list")).stdout).toContain(`No environments in ${folder}`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("install unpacks a folder, without the builder's name server", async () => {
    expect((await install("--as", "folder")).code).toBe(0);
    const root = join(folder, "reports", "rootfs");
    expect(existsSync(join(root, "usr/share/agent-environment/facts.json"))).toBe(true);
    expect(readdirSync(join(root, "etc")).toSorted()).toEqual(["hostname", "hosts"]);
    expect(readdirSync(folder)).toEqual(["reports"]);
  });

  it("install replaces an environment", async () => {
    await install("--as", "image");
    process.env["FACTS"] = JSON.stringify({ ...facts, system: "Debian 14" });
    expect((await install("--as", "folder")).code).toBe(0);
    expect((await environment("list")).stdout).toMatch(/reports +Debian 14 .* folder /);
  });

  it("install keeps the old environment when the build fails, and shows why", async () => {
    await install("--as", "image");
    process.env["BUILD"] = "echo 'no space left' >&2; exit 1";
    const failed = await install("--as", "image");
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain("admin: podman build: it ended with exit code 1: no space left");
    expect((await environment("list")).stdout).toContain("reports");
    expect(readdirSync(folder)).toEqual(["reports"]);
  });

  it("install takes the next builder when the first one cannot build, and says so", async () => {
    process.env["BUILD"] = "echo 'lookup registry: no such host' >&2; exit 1";
    const docker = podman.replace('eval "$BUILD"', "echo STEP");
    writeFileSync(join(dirname(dockerfile), "docker"), docker, { mode: 0o755 });
    const first = ["install", "--name", "reports", "--file", dockerfile, "--as", "image"];
    expect((await environment(...first)).stdout).toMatch(/used as +image .* of docker/);
    writeFileSync(join(dirname(dockerfile), "docker"), podman, { mode: 0o755 });
    writeFileSync(join(dirname(dockerfile), "podman"), docker, { mode: 0o755 });
    const second = await environment(...first);
    expect(second.stdout).toMatch(/used as +image .* of podman/);
    expect(second.stderr).toContain(
      "docker build: it ended with exit code 1: lookup registry: no such host. Trying podman",
    );
  });

  it("install that no builder can do says what to install, also for a builder that was named", async () => {
    process.env["BUILD"] = "echo 'lookup registry: no such host' >&2; exit 1";
    process.env["PATH"] = `${dirname(dockerfile)}:${onlySh()}`;
    const named = await environment("install", "--with", "podman");
    expect(named.stderr).toMatch(
      /no such host; or use --with docker \(docker is missing: .*\); or use --with mmdebstrap \(mmdebstrap is missing: apt-get install mmdebstrap debian-archive-keyring\)\n$/,
    );
    const any = await environment("install");
    expect(any.stderr).toContain(
      "admin: none of docker, podman, mmdebstrap can build the environment here: docker is missing",
    );
    expect(any.stderr).toMatch(
      /no such host; mmdebstrap is missing: apt-get install mmdebstrap debian-archive-keyring\n$/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it("install refuses an image whose description is wrong", async () => {
    process.env["FACTS"] = JSON.stringify({ ...facts, digest: "latest" });
    const failed = await install("--as", "image");
    expect(failed.stderr).toContain('digest is "latest" instead of "sha256:" and 64 hexadecimal digits');
    expect(readdirSync(folder)).toEqual([]);
  });

  it("install that is killed leaves nothing that is used, and the next one removes it", async () => {
    const args = [
      "bin/admin.ts",
      "environment",
      "install",
      "--name",
      "reports",
      "--file",
      dockerfile,
      "--with",
      "podman",
    ];
    const child = spawn(process.execPath, args, { env: { ...process.env, BUILD: "sleep 3" }, stdio: "ignore" });
    while (!existsSync(folder) || readdirSync(folder).length === 0) await sleep(20);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.installing-/)]);
    expect((await environment("list")).stdout).toContain("No environments");
    expect((await install("--as", "image")).code).toBe(0);
    expect(readdirSync(folder)).toEqual(["reports"]);
  });

  it.each([
    [["install", "--with", "mmdebstrap"], "mmdebstrap is missing: apt-get install mmdebstrap debian-archive-keyring"],
    [["install", "--with", "docker"], "docker is missing: apt-get install docker.io"],
    [["install", "--name", "My env"], '"My env" cannot name an environment; use up to 40 small letters'],
    [["install", "--file", "/none/Dockerfile"], "there is no file /none/Dockerfile; pass a Dockerfile with --file"],
    [["install", "--with", "mmdebstrap", "--as", "image"], "use --with docker or --with podman"],
    [["remove", "other"], "there is no environment other in"],
    [["show", "other"], "see environment list"],
    [["list", "--stack", "AgentRunService-prod"], "environments of a stack are built when it is deployed"],
  ])("%j is an error that says what to do", async (args, problem) => {
    process.env["PATH"] = mkdtempSync(join(tmpdir(), "no-programs-"));
    const { code, stdout, stderr } = await environment(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^admin: [^\n]+\n$/);
    expect(stderr).toContain(problem);
  });
});
