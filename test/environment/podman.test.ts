import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publicFolder } from "../support/ordinary-user.ts";
import { buildSeconds, environment, need } from "./install.ts";

/** What a build needs where control groups are hybrid, and the network of this machine, whose index may be a local one. */
const containers = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
netns = "host"
[engine]
runtime = "runc"
`;
/** Certificates of this machine's own authorities. */
const certificates = "/usr/local/share/ca-certificates";

// The Dockerfile, but for the base: an image of a registry, and the same Debian as mmdebstrap makes it.
describe("podman, from a base image that mmdebstrap makes", () => {
  const folder = publicFolder();
  const variables = { HOME: folder.path, CONTAINERS_CONF: join(folder.path, "containers.conf") };
  const image = `localhost/environment-test-base:${process.pid}`;
  const caller = { ids: {}, variables: { ...variables, AGENT_RUN_ENVIRONMENTS: join(folder.path, "environments") } };
  const options = ["--name", "image", "--file", join(folder.path, "environment", "Dockerfile"), "--with", "podman"];
  const podman = (...args: string[]) => execFileSync("podman", args, { env: { ...process.env, ...variables } });

  beforeAll(async () => {
    need({ mmdebstrap: "mmdebstrap debian-archive-keyring", podman: "podman", runc: "runc" });
    writeFileSync(variables.CONTAINERS_CONF, containers);
    const base = join(folder.path, "base.tar");
    execFileSync("mmdebstrap", ["--variant=minbase", "trixie", base], { stdio: "ignore" });
    podman("import", base, image);
    const context = join(folder.path, "environment");
    cpSync("environment", context, { recursive: true });
    const own = join(context, "certificates");
    if (existsSync(certificates)) cpSync(certificates, own, { recursive: true });
    else mkdirSync(own);
    const from = `FROM ${image}\nCOPY certificates ${certificates}\n`;
    const dockerfile = readFileSync(join(context, "Dockerfile"), "utf8");
    writeFileSync(join(context, "Dockerfile"), dockerfile.replace(/^FROM .*\n/m, from));
  });
  afterAll(() => {
    podman("rmi", "--force", image);
    folder[Symbol.dispose]();
  });

  it("installs an environment that works, and leaves no image", { timeout: buildSeconds * 1000 }, async () => {
    await environment(caller, "install", ...options);
    const checks = JSON.parse(await environment(caller, "install", "--check", ...options, "--json")) as object;
    expect(checks).toMatchObject({ ok: true, environment: [{ name: "installed" }, { name: "programs", ok: true }] });
    const found = JSON.parse(await environment(caller, "show", "image", "--json")) as { programs: object };
    expect(Object.keys(found.programs)).toEqual(expect.arrayContaining(["make", "rsync"]));
    expect(podman("images", "--format", "{{.Repository}}").toString()).not.toContain("agent-environment-image");
    expect(readdirSync(join(folder.path, "environments"))).toEqual(["image"]);
  });
});
