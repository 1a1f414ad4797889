import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
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

function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z");
  } catch {
    return false;
  }
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
const check = (...args: string[]) => environment("install", "--check", "--name", "reports", ...args);
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
    expect(failed.stderr).toContain(
      `admin: the step "build ${dockerfile} with podman" failed: podman build ended with exit code 1: no space left`,
    );
    expect((await environment("list")).stdout).toContain("reports");
    expect(readdirSync(folder)).toEqual(["reports", "reports.log"]);
  });

  it("install that fails names the step of build.sh, its error and a log of the whole output, until one succeeds", async () => {
    const noise = "for n in $(seq 3000); do echo line $n; done";
    process.env["BUILD"] =
      `${noise}; echo 'environment step: compile the Python modules'; echo "*** Error compiling '/usr/a.py'..."; ` +
      "echo 'SyntaxError: bad'; echo '#9 1.2 environment step failed: compile the Python modules'; echo 'Error: way out'; exit 1";
    const failed = await install("--as", "image");
    const log = join(folder, "reports.log");
    expect(failed.stderr).toContain(
      `admin: the step "compile the Python modules" failed: podman build ended with exit code 1: *** Error compiling '/usr/a.py'... | SyntaxError: bad; or`,
    );
    expect(failed.stderr).toContain(`. All output is in ${log}\n`);
    const lines = readFileSync(log, "utf8").split("\n");
    expect(lines).toEqual(expect.arrayContaining(["line 1", "line 3000", "Error: way out"]));
    process.env["BUILD"] = "true";
    expect((await install("--as", "image")).code).toBe(0);
    expect(readdirSync(folder)).toEqual(["reports"]);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("install that %s ends leaves no process and no file", async (signal) => {
    const pids = join(dirname(dockerfile), "pids");
    const args = ["bin/admin.ts", "environment", "install", "--name", "reports", "--file", dockerfile];
    const build = `sleep 600 & echo $! $$ >${pids}; wait`;
    const child = spawn(process.execPath, [...args, "--with", "podman"], {
      env: { ...process.env, BUILD: build },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const printed = text(child.stderr);
    while (!existsSync(pids) || readFileSync(pids, "utf8") === "") await sleep(20);
    child.kill(signal);
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(130);
    expect(await printed).toMatch(/admin: interrupted; nothing was installed\n$/);
    expect(readdirSync(folder)).toEqual([]);
    for (const pid of readFileSync(pids, "utf8").split(" "))
      await expect.poll(() => isRunning(Number(pid))).toBe(false);
  });

  it("install --check says what to type, until the environment works", async () => {
    process.env["PATH"] = `${dirname(dockerfile)}:${onlySh()}`;
    const absent = await check();
    expect(absent.code).toBe(1);
    expect(absent.stdout).toMatch(/\ndocker +no +docker is missing: apt-get install docker\.io\npodman +yes /);
    expect(absent.stdout).toMatch(
      /\nmmdebstrap +no +mmdebstrap is missing: apt-get install mmdebstrap.*pip is missing: apt-get/,
    );
    expect(absent.stderr).toBe(
      `admin: no environment reports in ${folder}. Install it: npm run -s admin -- environment install --name reports --file DOCKERFILE\n`,
    );
    expect(existsSync(folder)).toBe(false);
    await install("--as", "image");
    const broken = await check("--json");
    const { ok, environment: found } = JSON.parse(broken.stdout) as Record<
      "environment",
      { name: string; ok: boolean }[]
    > & {
      ok: boolean;
    };
    expect({ code: broken.code, ok, found: found.map((each) => [each.name, each.ok]) }).toEqual({
      code: 1,
      ok: false,
      found: [
        ["installed", true],
        ["programs", false],
      ], // the image is a stand-in
    });
  });

  it.each<[string, string | undefined, boolean]>([
    ["of this release", "as installed", true],
    ["of another release", `sha256:${"0".repeat(64)}`, false],
    ["of a release that did not record its lists", undefined, false],
  ])("install --check tells whether the environment is that %s", async (_, sources, isCurrent) => {
    await environment("install", "--with", "podman", "--as", "image");
    const file = join(folder, "linux", "environment.json");
    const installed = JSON.parse(readFileSync(file, "utf8")) as object;
    if (sources !== "as installed") writeFileSync(file, JSON.stringify({ ...installed, sources }));
    const { environment: found } = JSON.parse((await environment("install", "--check", "--json")).stdout) as {
      environment: { name: string; ok: boolean; found: string }[];
    };
    const current = found.find(({ name }) => name === "current");
    expect(current?.ok).toBe(isCurrent);
    if (!isCurrent)
      expect(current?.found).toMatch(/Install that of this release: npm run -s admin -- environment install$/);
  });

  it("install and install --check name a disk without room", async () => {
    process.env["AGENT_RUN_ENVIRONMENTS"] = "/proc/environments"; // no bytes are free there
    const problem =
      "the disk of /proc/environments has 0.0 GB free; an installation needs 4.0 GB: free some, or name a folder";
    expect((await environment("install")).stderr).toContain(`admin: ${problem}`);
    expect((await environment("install", "--check")).stderr).toContain(`; ${problem}`);
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
      "docker build ended with exit code 1: lookup registry: no such host. Trying podman",
    );
  });

  it("install that no builder can do says what to install, also for a builder that was named", async () => {
    process.env["BUILD"] = "echo 'lookup registry: no such host' >&2; exit 1";
    process.env["PATH"] = `${dirname(dockerfile)}:${onlySh()}`;
    const named = await environment("install", "--with", "podman");
    expect(named.stderr).toMatch(
      /no such host; or use --with docker \(docker is missing: .*\); or use --with mmdebstrap \(mmdebstrap is missing: apt-get install mmdebstrap debian-archive-keyring; .*\)\. All output is in .*\n$/,
    );
    const any = await environment("install");
    expect(any.stderr).toContain(
      "admin: none of docker, podman, mmdebstrap can build the environment here: docker is missing",
    );
    expect(any.stderr).toMatch(
      /no such host; mmdebstrap is missing: apt-get install mmdebstrap debian-archive-keyring; .*\. All output is in .*\n$/,
    );
    expect(readdirSync(folder)).toEqual(["linux.log"]);
  });

  it("install refuses an image whose description is wrong", async () => {
    process.env["FACTS"] = JSON.stringify({ ...facts, digest: "latest" });
    const failed = await install("--as", "image");
    expect(failed.stderr).toContain('digest is "latest" instead of "sha256:" and 64 hexadecimal digits');
    expect(readdirSync(folder)).toEqual(["reports.log"]);
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
