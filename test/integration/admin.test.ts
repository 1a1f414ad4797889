import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { saveAllowedSecrets } from "../../src/platform/local/process/allowed-secrets.ts";
import { openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import { defaultTools } from "../../src/agent/tools/definitions.ts";
import { toolNames } from "../../src/agent/tools/index.ts";
import { main } from "../../bin/admin/main.ts";
import { admin, done, inProcess, listed, rejected } from "./admin.ts";
import { runScript } from "./script.ts";
import { type Service, startService } from "./service.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const example = "examples/assistant.json";

const temporary = mkdtempSync(join(tmpdir(), "admin-test-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

function newFolder(): string {
  return mkdtempSync(join(temporary, "data-"));
}

function agentFile(content: unknown): string {
  const path = join(newFolder(), "agent.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe("without a server", () => {
  const dataDir = newFolder();

  test("sets the quotas of an organization and of an agent", async () => {
    const folder = newFolder();
    const { id } = await done(folder, "org", "create", "--name", "O");
    const setQuota = (...options: string[]) => ["org", "set-quota", id, ...options];
    const quota = { max_running: 3, max_dollars_per_day: 2.5 };
    expect(await done(folder, ...setQuota("--max-running", "3", "--max-dollars-per-day", "2.5"))).toMatchObject(quota);
    expect(await done(folder, "org", "show", id)).toMatchObject({ ...quota, use: { stored_bytes: { used: 0 } } });
    const changed = { max_running: null, max_dollars_per_day: 2.5, max_stored_bytes: 5_000 };
    expect(await done(folder, ...setQuota("--max-running", "none", "--max-stored-bytes", "5000"))).toMatchObject(
      changed,
    );
    expect(await rejected(folder, ...setQuota())).toContain("nothing to set; pass --max-running");
    expect(await rejected(folder, ...setQuota("--max-running", "1.5"))).toBe(
      "--max-running is 1.5: input should be a valid integer",
    );

    const fields = { name: "A", instructions: "I", maxRunning: 2 };
    expect(await rejected(folder, "agent", "create", "--file", agentFile(fields))).toContain(
      "prices is missing; the organization's maxDollarsPerDay requires it",
    );
    const priced = { ...fields, maxDollarsPerDay: 1, prices: { input: 1, output: 5 } };
    const agent = await done(folder, "agent", "create", "--file", agentFile(priced));
    expect(await done(folder, "agent", "show", agent.id)).toMatchObject({ definition: { maxRunning: 2 } });
    expect((await admin(folder, "agent", "show", agent.id)).stdout).toMatch(/^maxRunning +2$/m);
  });

  test("a directory without data is rejected and not created", async () => {
    const missing = join(newFolder(), "mistyped");
    expect(await rejected(missing, "agent", "list")).toContain(`no service data in ${missing}`);
    expect(existsSync(missing)).toBe(false);
  });

  test("sets, lists and removes model configurations with names", async () => {
    const folder = newFolder();
    const { id } = await done(folder, "org", "create", "--name", "Several");
    await done(folder, "org", "set-model", id, "--provider", "demo");
    const server = ["--base-url", "http://127.0.0.1:11434/v1", "--model", "qwen3"];
    const backup = ["org", "set-model", id, "backup", "--provider", "openai-compatible", ...server];
    expect(await done(folder, ...backup)).toMatchObject({
      model: { provider: "demo" },
      models: [{ name: "backup", provider: "openai-compatible", base_url: server[1], model: "qwen3", enabled: true }],
    });
    expect((await admin(folder, "org", "models", id)).stdout).toMatch(/\ndefault +demo .*\nbackup +openai-compatible /);
    const file = agentFile({ name: "A", instructions: "i", fallback: { modelConfiguration: "backup" } });
    const agent = await done(folder, "agent", "create", "--file", file);
    expect(await rejected(folder, "org", "clear-model", id, "backup")).toContain(
      `is named by an agent: ${agent.id} (A)`,
    );
    await done(folder, "agent", "delete", agent.id);
    expect(await done(folder, "org", "clear-model", id, "backup")).toMatchObject({ models: [] });
    expect(await rejected(folder, "org", "clear-model", id, "backup")).toContain("no further model configurations");
    expect(await rejected(folder, "org", "set-model", id, "default", "--provider", "demo")).toContain("not “default”");
  });

  test("creates an organization, its model, an agent and its keys", async () => {
    const organization = await done(dataDir, "org", "create", "--name", "Ærø Ltd");
    const { id } = organization;
    expect(organization).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: "Ærø Ltd", model: null });
    const server = ["--base-url", "http://127.0.0.1:11434/v1", "--model", "qwen3", "--secret", "env:OPENAI_API_KEY"];
    const model = {
      enabled: true,
      provider: "openai-compatible",
      model: "qwen3",
      base_url: server[1],
      secret: server[5],
    };
    const set = (...options: string[]) => ["org", "set-model", id, "--provider", "openai-compatible", ...options];
    expect(await done(dataDir, ...set(...server))).toMatchObject({ model });
    expect(await done(dataDir, "org", "show", id.toUpperCase())).toMatchObject({ id, model });
    // A stored secret is not sent to another address: it must be named again.
    const moved = ["--base-url", "http://127.0.0.1:1/v1", "--model", "qwen3"];
    expect(await rejected(dataDir, ...set(...moved))).toContain("--secret is missing");
    expect(await done(dataDir, ...set(...moved, "--secret", "none"))).toMatchObject({ model: { secret: null } });
    expect(await done(dataDir, "org", "clear-model", id)).toMatchObject({ model: null });
    const disabled = await done(dataDir, "org", "set-model", id, "--provider", "demo", "--disabled");
    expect(disabled).toMatchObject({ model: { enabled: false } });
    expect(await listed(dataDir, "org", "list")).toMatchObject([{ id, name: "Ærø Ltd", model: { provider: "demo" } }]);

    // The only organization need not be named; defaults come from the schema.
    const file = agentFile({ name: "Small", instructions: "Answer.", limits: { steps: 3 } });
    const agent = await done(dataDir, "agent", "create", "--file", file);
    expect(agent).toMatchObject({
      organization_id: id,
      name: "Small",
      status: "active",
      version: 1,
      definition: { tools: defaultTools, limits: { steps: 3, tokens: 500_000, seconds: 1_800 } },
    });
    const updated = { name: "Assistant", definition: { limits: { steps: 30 } } };
    expect(await done(dataDir, "agent", "update", agent.id, "--file", example)).toMatchObject({
      id: agent.id,
      ...updated,
    });
    expect(await done(dataDir, "agent", "show", agent.id)).toMatchObject({
      ...updated,
      use: { stored_bytes: { used: 0 } },
    });
    expect(await done(dataDir, "agent", "show", agent.id, "--version", "1")).toMatchObject({
      version: 1,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      definition: { name: "Small" },
    });
    expect(await listed(dataDir, "agent", "history", agent.id)).toMatchObject([{ version: 2 }, { version: 1 }]);
    expect(await rejected(dataDir, "agent", "show", agent.id, "--version", "3")).toContain(
      "its latest is 2 (see agent",
    );

    const first = await done(dataDir, "key", "create", "--agent", agent.id, "--name", "Crawler");
    expect(first).toMatchObject({ name: "Crawler" });
    const second = await done(dataDir, "key", "create", "--agent", agent.id);
    expect(first["key"]).toMatch(/^ak_[0-9A-Za-z]{49}$/);
    const { stdout } = await admin(dataDir, "key", "list", "--agent", agent.id);
    expect(stdout).toContain(String(first["hint"]));
    expect(stdout).not.toContain(first.key);
    expect(stdout).toContain(first.id); // as `key disable` takes it
    const enabled = async () =>
      (await listed<{ enabled: boolean }>(dataDir, "key", "list", "--agent", agent.id)).map((key) => key.enabled);
    await done(dataDir, "key", "disable", first.id.slice(0, 16));
    expect(await enabled()).toEqual([false, true]);
    await done(dataDir, "key", "disable", String(second["hint"]));
    expect(await enabled()).toEqual([false, false]);
    await done(dataDir, "key", "enable", first.key);
    expect(await enabled()).toEqual([true, false]);

    expect(await done(dataDir, "agent", "archive", agent.id)).toMatchObject({ status: "archived" });
    expect(await done(dataDir, "agent", "unarchive", agent.id)).toMatchObject({ status: "active" });
    expect(await done(dataDir, "agent", "delete", agent.id)).toEqual({ agent_id: agent.id });
    const audit = await listed<Record<string, string>>(dataDir, "audit");
    expect(new Set(audit.map(({ actor }) => actor))).toEqual(new Set([userInfo().username]));
    const actions =
      "org.create org.set-model org.set-model org.clear-model org.set-model agent.create agent.update key.create key.create " +
      "key.disable key.disable key.enable agent.archive agent.unarchive agent.delete key.disable key.disable";
    expect(audit.map(({ action }) => action).toReversed()).toEqual(actions.split(" "));
    expect(audit[2]).toMatchObject({ action: "agent.delete", id: agent.id, at: expect.stringMatching(/Z$/) });
    expect(await listed(dataDir, "audit", "--limit", "1")).toEqual(audit.slice(0, 1));
    expect(await listed(dataDir, "audit", "--since", "2099-01-01")).toEqual([]);
    expect(await rejected(dataDir, "agent", "unarchive", agent.id)).toContain("is deleted");
    expect(await rejected(dataDir, "agent", "update", agent.id, "--file", example)).toContain("is deleted");
    expect(await rejected(dataDir, "key", "create", "--agent", agent.id)).toContain("is deleted");
  });

  test("prints tables, and records with one field per line", async () => {
    const { stdout } = await admin(dataDir, "agent", "list");
    const [head, row] = stdout.split("\n");
    expect(head).toMatch(/^ID +NAME +VERSION +STATUS +ORGANIZATION_ID$/);
    expect(row).toMatch(/^[0-9a-f-]{36} +Assistant +2 +deleted +[0-9a-f-]{36}$/);
    const other = newFolder();
    expect(await rejected(other, "org", "create", "--name", "Clean \u001b[31mred\u202e\nmodel  x")).toContain(
      "name contains the character U+001B; control and format characters are not accepted",
    );
    const created = await admin(other, "org", "create", "--name", "Clean model  x");
    expect(created.stdout).toMatch(/^id {15}[0-9a-f-]{36}\nname {13}Clean model {2}x\nmcp_tool_policy {2}allow\n/);
    expect((await admin(other, "agent", "list")).stdout).toContain("agent create --file agent.json");
  });

  test("--org is required when there are several organizations", async () => {
    const several = newFolder();
    const { id } = await done(several, "org", "create", "--name", "one");
    await done(several, "org", "create", "--name", "two");
    expect(await rejected(several, "agent", "create", "--file", example)).toContain("there are 2 organizations");
    expect(await done(several, "agent", "create", "--file", example, "--org", id)).toMatchObject({
      organization_id: id,
    });
    expect(await rejected(several, "agent", "create", "--file", example, "--org", randomUUID())).toContain(
      "does not exist",
    );
  });

  test.concurrent.each([
    ["{", "not valid JSON"],
    [[], "the file must be object"],
    [{}, "name is missing; instructions is missing"],
    [{ name: "", instructions: "x" }, 'name must NOT have fewer than 1 characters (received "")'],
    [{ name: "x", instructions: "x", tool: [] }, "tool is not a field of an agent file"],
    [
      { name: "x", instructions: "x", tools: ["shell"] },
      `tools.0 must be one of ${toolNames.join(", ")} (received "shell")`,
    ],
    [{ name: "x", instructions: "x", limits: { steps: 0, days: 1 } }, "limits.days is not a field of an agent file"],
    [{ name: "x", instructions: "x", limits: { steps: 0.5 } }, "limits.steps must be integer (received 0.5)"],
  ])("the agent file %j is rejected: %s", async (content, reason) => {
    expect(await rejected(dataDir, "agent", "create", "--file", agentFile(content))).toContain(reason);
  });

  test.concurrent.each([
    [
      [],
      "a command is missing; commands are org, agent, trial, suite, key, run, webhook, operator, audit, environment, completion",
    ],
    [
      ["org"],
      "org: a command is missing; org takes create, list, show, set-quota, set-web-fetch, set-mcp-tools, set-model, models, clear-model, delete, stop-models, resume-models, export",
    ],
    [
      ["agents"],
      'unknown command "agents"; commands are org, agent, trial, suite, key, run, webhook, operator, audit, environment, completion (did you mean agent?)',
    ],
    [
      ["org", "rename"],
      'unknown command "rename"; org takes create, list, show, set-quota, set-web-fetch, set-mcp-tools, set-model, models, clear-model, delete, stop-models, resume-models, export',
    ],
    [["org", "create"], "--name is missing: org create --name NAME"],
    [["org", "create", "--name", " "], "name is blank"],
    [["org", "create", "--name", "n".repeat(201)], "--name: string should have at most 200 characters"],
    [["org", "show"], "ID is missing: org show ID"],
    [["org", "show", "a", "b"], "org show takes one argument, ID; received 2"],
    [["org", "list", "x"], "org list takes no arguments; received 1"],
    [
      ["org", "list", "--colour"],
      "unknown option --colour; org list takes --cursor, --limit, --data-dir, --stack, --service-url, --json",
    ],
    [
      ["org", "create", "--nam", "x"],
      "unknown option --nam; org create takes --name, --data-dir, --stack, --service-url, --json",
    ],
    [["org", "create", "--name"], "--name has no value: org create --name NAME"],
    [["org", "list", "--stack", "Prod"], "--stack and --data-dir cannot be used together"],
    [["org", "show", "nowhere"], 'ID is "nowhere": input should be a valid UUID, '],
    [["org", "show", randomUUID()], "does not exist (see org list)"],
    [
      ["org", "set-model", randomUUID(), "--provider", "gpt"],
      "--provider is \"gpt\": input should be 'demo', 'openai-compatible', 'openai-responses', 'anthropic' or 'bedrock'",
    ],
    [["agent", "show", randomUUID()], "does not exist (see agent list)"],
    [["agent", "create", "--file", "no/such/file.json"], "cannot read --file no/such/file.json"],
    [["key", "list", "--agent", "x"], 'is "x": input should be a valid UUID'],
    [["operator", "link"], "no service runs on the data directory"],
    [["operator", "link", "--role", "admin"], '--role is "admin"; expected operator or viewer'],
    [["operator", "link", "--base-url", "localhost:1"], "--base-url is not an address of the service; expected a URL"],
    [["operator", "link", "--name", " ", "--base-url", "http://h"], "the operator's name is blank"],
    [["operator", "revoke", "ao_nosuch"], 'operator "ao_nosuch" does not exist (see operator list)'],
    [["key", "disable", "ak_nosuch"], 'key "ak_nosuch" does not exist'],
    [["key", "enable", "ak_"], 'key "ak_" does not exist'],
    [["run", "show", randomUUID()], "does not exist (see run list --agent ID)"],
    [["run", "input", randomUUID(), "--text", "x"], "does not exist (see run list --agent ID)"],
    [["run", "stop", "x"], 'ID is "x": input should be a valid UUID'],
    [["audit", "--since", "yesterday"], '--since is "yesterday": input should be a valid datetime'],
    [["audit", "--limit", "1001"], "--limit is 1001: input should be less than or equal to 1000"],
    [["agent", "show", randomUUID(), "--version", "0"], "--version is 0: input should be greater than or equal to 1"],
  ])("%j is rejected: %s", async (args, reason) => {
    expect(await rejected(dataDir, ...args)).toContain(reason);
  });

  test("errors do not repeat a pasted secret or key", async () => {
    const secret = "sk-pasted-by-mistake";
    const server = ["--base-url", "http://127.0.0.1:1/v1", "--model", "m", "--secret", secret];
    expect(
      await rejected(dataDir, "org", "set-model", randomUUID(), "--provider", "openai-compatible", ...server),
    ).not.toContain(secret);
    expect(await rejected(dataDir, "key", "disable", "ak_abcdefghijklmnop")).not.toContain("ghijklmnop");
  });

  test("agent show prints the locations of MCP header secrets, never their values", async () => {
    const usual = { "X-Key": { secret: "env:OPENAI_API_KEY" } };
    const leaking = {
      name: "L",
      instructions: "I",
      mcp: [{ name: "s", url: "https://example.com/mcp", headers: usual }],
    };
    expect(await rejected(dataDir, "agent", "create", "--file", agentFile(leaking))).toContain(
      "the service was not started with --allow-secret OPENAI_API_KEY",
    );
    saveAllowedSecrets(dataDir, [{ secret: "env:TEAM_TOKEN" }]);
    const headers = { Authorization: { secret: "env:TEAM_TOKEN", prefix: "Bearer " } };
    const mcp = [{ name: "team", url: "https://example.com/mcp", headers, tools: ["add"] }];
    const webFetch = { privateAddresses: true, hosts: ["*.example.com"] };
    const file = agentFile({ name: "Servers", instructions: "Answer.", mcp, webFetch });
    const { id } = await done(dataDir, "agent", "create", "--file", file);
    const { stdout } = await admin(dataDir, "agent", "show", id);
    expect(stdout).toMatch(/^mcp +name team, url https:\/\/example.com\/mcp, tools add, headers .*env:TEAM_TOKEN/m);
    expect(stdout).toMatch(/^webFetch +privateAddresses true, hosts \*\.example\.com$/m);

    // Earlier versions stored a pasted key.
    const { accounts, close } = openLocalPlatform({ dataDir });
    const agent = await accounts.findAgent(id);
    if (!agent) throw new Error("the agent is missing");
    await accounts.replaceAgent({ ...agent, mcp: [{ ...mcp[0]!, headers: { "X-Key": { secret: "sk-pasted" } } }] });
    close();
    const older = await admin(dataDir, "agent", "show", id);
    expect(older.stdout).toContain("hidden: not a location");
    expect(older.stdout).not.toContain("sk-pasted");
  });

  test("org set-web-fetch sets the hosts for agents that name none", async () => {
    const folder = newFolder();
    const { id } = await done(folder, "org", "create", "--name", "Hosts");
    const setHosts = (hosts: string) => done(folder, "org", "set-web-fetch", id, "--hosts", hosts);
    expect(await setHosts("docs.example.com, *.example.org")).toMatchObject({
      web_fetch_hosts: ["docs.example.com", "*.example.org"],
    });
    const wrong = await rejected(folder, "org", "set-web-fetch", id, "--hosts", "https://example.com");
    expect(wrong).toContain('--hosts is "https://example.com": string should match pattern');
    expect(await setHosts("none")).toMatchObject({ web_fetch_hosts: [] });
  });

  test("org set-mcp-tools sets whether tools of MCP servers ask", async () => {
    const folder = newFolder();
    const { id } = await done(folder, "org", "create", "--name", "Asks");
    const set = (policy: string) => done(folder, "org", "set-mcp-tools", id, "--mcp-tool-policy", policy);
    expect(await set("ask")).toMatchObject({ mcp_tool_policy: "ask" });
    expect((await admin(folder, "org", "show", id)).stdout).toMatch(/^mcp_tool_policy +ask$/m);
    expect(await set("allow")).toMatchObject({ mcp_tool_policy: "allow" });
    const entries = await listed<{ action: string }>(folder, "audit");
    expect(entries.slice(0, 2).map(({ action }) => action)).toEqual(Array(2).fill("org.set-mcp-tools"));
  });

  test.each([
    ["env:TOKEN", "the service was not started with --allow-secret TOKEN; start it with this option first."],
    ["file:token", "the service was not started with --allow-secret file:token; start it with this option first."],
    ["sk-pasted", "on one machine, a secret is env:NAME or file:PATH."],
  ])("%s is rejected as the secret of a model or an MCP server", async (secret, problem) => {
    const headers = { "X-Key": { secret } };
    const file = agentFile({
      name: "S",
      instructions: "A",
      mcp: [{ name: "team", url: "https://example.com", headers }],
    });
    const cannot = `the secret of the header X-Key of the MCP server team cannot be used: ${problem}`;
    expect(await rejected(dataDir, "agent", "create", "--file", file)).toBe(cannot);
    const [agent] = await listed<{ id: string; organization_id: string }>(
      dataDir,
      "agent",
      "list",
      "--status",
      "active",
    );
    expect(await rejected(dataDir, "agent", "update", agent!.id, "--file", file)).toBe(cannot);
    if (secret === "sk-pasted") return;
    const model = ["--provider", "anthropic", "--model", "m", "--secret", secret];
    expect(await rejected(dataDir, "org", "set-model", agent!.organization_id, ...model)).toBe(
      `the secret ${secret} cannot be used: ${problem}`,
    );
  });

  test("an agent is shown with all that its file said", async () => {
    const fields = {
      limits: { steps: 5, tokens: 10, seconds: 20, dollars: 0.5 },
      runLimits: { dollars: 2.5 },
      prices: { input: 3, output: 15 },
      parameters: { temperature: 0 },
      contextTokens: 32_000,
    };
    const file = agentFile({ name: "Bounded", instructions: "Answer.", ...fields });
    const { id } = await done(dataDir, "agent", "create", "--file", file);
    expect(await done(dataDir, "agent", "show", id)).toMatchObject({ definition: fields });
    const { stdout } = await admin(dataDir, "agent", "show", id);
    expect(stdout).toMatch(/^limits +steps 5, tokens 10, seconds 20, dollars 0.5$/m);
    expect(stdout).toMatch(/^runLimits +dollars 2.5$/m);
  });

  test("--help lists every command, and COMMAND --help its options", async () => {
    const { code, stdout } = await admin(dataDir, "--help");
    expect(code).toBe(0);
    for (const line of [
      "org create --name NAME",
      "key disable KEY",
      "run input ID --text T",
      "run request ID --at T",
    ]) {
      expect(stdout).toContain(line);
    }
    for (const args of [
      ["org", "set-model", "--help"],
      ["org", "set-model", "x", "-h"],
    ]) {
      const command = await admin(dataDir, ...args);
      expect({ code: command.code, stderr: command.stderr }).toEqual({ code: 0, stderr: "" });
      expect(command.stdout).toMatch(/^Usage: npm run -s admin -- org set-model \[options\] <ID> \[CONFIGURATION\]\n/);
      expect(command.stdout).toContain("--base-url <URL>");
      expect(command.stdout).toContain("--data-dir <DIR>");
      expect(command.stdout).not.toContain("--events");
    }
  });

  test("completion prints a script that completes nouns and verbs", async () => {
    const { stdout } = await admin(dataDir, "completion", "bash");
    const complete = `${stdout}COMP_WORDS=(admin agent un) COMP_CWORD=2; _admin; echo "\${COMPREPLY[@]}"`;
    expect(spawnSync("bash", ["-c", complete], { encoding: "utf8" }).stdout).toBe("unarchive\n");
    expect((await admin(dataDir, "completion", "zsh")).stdout).toContain("bashcompinit");
    expect(await rejected(dataDir, "completion", "fish")).toBe('SHELL is "fish"; expected bash or zsh');
  });

  test("npm run admin and node bin/admin.ts print and exit in the same way", async () => {
    const child = spawnSync("npm", ["run", "-s", "admin", "--", "org", "list", "--json", "--data-dir", dataDir], {
      cwd: root,
      encoding: "utf8",
    });
    expect(child).toMatchObject({ status: 0, stdout: (await admin(dataDir, "org", "list", "--json")).stdout });
    const failed = await runScript("bin/admin.ts", ["org", "show", "nowhere", "--data-dir", dataDir]);
    expect(failed).toEqual(await admin(dataDir, "org", "show", "nowhere"));
    expect(failed.code).toBe(1);
  });
});

const remote = (url: string, ...args: string[]) => inProcess(main, [...args, "--json", "--service-url", url]);

describe("while the service is running", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService(newFolder());
    return () => service.end("SIGTERM");
  });

  async function statusOf(apiKey: string, templateId = service.templateId): Promise<number> {
    const response = await fetch(`${service.baseUrl}/v1/agents`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "test", template_id: templateId }),
    });
    await response.text();
    return response.status;
  }

  test("a key of several agents is listed by each", async () => {
    const { dataDir, templateId } = service;
    const { organization_id: organization } = await done(dataDir, "agent", "show", templateId);
    const { id } = await done(dataDir, "agent", "create", "--org", String(organization), "--file", example);
    const created = await done(dataDir, "key", "create", "--agent", templateId, "--more-agents", id);
    expect(created).toMatchObject({ agent_id: templateId, more_agent_ids: [id] });
    const { stdout } = await admin(dataDir, "key", "list", "--agent", id);
    expect(stdout).toContain(`${created.id}  ${templateId}  ${id}`);
    expect(await rejected(dataDir, "key", "create", "--agent", id, "--more-agents", id)).toContain(
      "an agent is named twice",
    );
    expect(await rejected(dataDir, "key", "create", "--agent", id, "--more-agents", "x")).toContain(
      '--more-agents is "x": ',
    );
  });

  test("a new key works at once; a disabled key is rejected until it is enabled", async () => {
    const { key: api_key, id: hash } = await done(service.dataDir, "key", "create", "--agent", service.templateId);
    expect(await statusOf(api_key)).toBe(201);
    await done(service.dataDir, "key", "disable", hash);
    expect(await statusOf(api_key)).toBe(401);
    await done(service.dataDir, "key", "enable", hash);
    expect(await statusOf(api_key)).toBe(201);
  });

  test("operator link prints a link to the running service; a revoked operator stays in the list", async () => {
    const { dataDir, baseUrl, consoleUrl } = service;
    const [address, token] = consoleUrl.split("#");
    expect([address, token]).toEqual([`${baseUrl}/console/`, expect.stringMatching(/^ao_[0-9A-Za-z]{49}$/)]);
    const created = await done(dataDir, "operator", "link", "--name", "mira", "--role", "viewer");
    const { console_url, hint } = created as Record<string, string>;
    expect(console_url).toMatch(new RegExp(`^${baseUrl}/console/#ao_[0-9A-Za-z]{49}$`));
    expect(created).toMatchObject({ name: "mira", role: "viewer", enabled: true });
    const other = await admin(dataDir, "operator", "link", "--base-url", "https://runs.example.com");
    expect(other.stdout).toMatch(/^console_url +https:\/\/runs\.example\.com\/console\/#ao_/);
    expect(other.stdout).toContain(`name         ${userInfo().username}\n`);
    expect(other.stdout).toContain("shown only once");

    expect(await done(dataDir, "operator", "revoke", String(hint))).toMatchObject({ name: "mira", enabled: false });
    const operators = await listed(dataDir, "operator", "list");
    expect(operators.map(({ name, role, enabled }) => [name, role, enabled])).toEqual([
      ["npm start", "operator", true],
      ["mira", "viewer", false],
      [userInfo().username, "operator", true],
    ]);
    expect(JSON.stringify(operators)).not.toMatch(/ao_[0-9A-Za-z]{7}/);
    const [last] = await listed(dataDir, "audit");
    expect(last).toMatchObject({ action: "operator.revoke", id: created.id, actor: userInfo().username });
  });

  test("--service-url operates the service with an operator's token, as that operator", async () => {
    const { baseUrl, consoleUrl, templateId } = service;
    const [, token = ""] = consoleUrl.split("#");
    expect((await remote(baseUrl, "org", "list")).stderr).toContain("needs an operator token (ao_…)");
    expect((await remote("http://runs.example.com", "org", "list")).stderr).toContain("without TLS; use https");
    expect((await remote("runs.example.com", "org", "list")).stderr).toContain("is not an address of the service");
    process.env["AGENT_RUN_OPERATOR_TOKEN"] = token;
    try {
      const call = async (...args: string[]) => JSON.parse((await remote(baseUrl, ...args)).stdout) as { id: string };
      const { id } = await call("run", "start", "--agent", templateId, "--text", "Hello", "--label", "a=b", "--wait");
      expect(await call("run", "show", id)).toMatchObject({ status: "finished", labels: { a: "b" } });
      expect(await call("run", "stop", id)).toMatchObject({ status: "terminated" });
      const { data } = (await call("audit", "--limit", "1")) as unknown as { data: { actor: string }[] };
      expect(data[0]?.actor).toContain(token.slice(0, 9));
      expect((await remote(baseUrl, "org", "show", "x")).stderr).toContain("(see org list)");
      expect((await remote(baseUrl, "org", "export", "x", "--to", "y")).stderr).toContain("takes no --service-url");
      expect((await remote("http://127.0.0.1:9", "org", "list")).stderr).toContain("cannot reach http://127.0.0.1:9");
      process.env["AGENT_RUN_OPERATOR_TOKEN"] = "ao_wrong";
      expect((await remote(baseUrl, "org", "list")).stderr).toContain("Invalid operator token");
    } finally {
      delete process.env["AGENT_RUN_OPERATOR_TOKEN"];
    }
  });

  test("creates are rejected: archived 409, deleted 404, without a model 422", async () => {
    const agent = await done(service.dataDir, "agent", "create", "--file", example);
    const { key: apiKey } = await done(service.dataDir, "key", "create", "--agent", agent.id);
    const organization = String(agent["organization_id"]);
    await done(service.dataDir, "agent", "archive", agent.id);
    expect(await statusOf(apiKey, agent.id)).toBe(409);
    await done(service.dataDir, "agent", "unarchive", agent.id);
    expect(await statusOf(apiKey, agent.id)).toBe(201);
    await done(service.dataDir, "org", "clear-model", organization);
    expect(await statusOf(apiKey, agent.id)).toBe(422);
    await done(service.dataDir, "org", "set-model", organization, "--provider", "demo", "--disabled");
    expect(await statusOf(apiKey, agent.id)).toBe(422);
    await done(service.dataDir, "org", "set-model", organization, "--provider", "demo");
    expect(await statusOf(apiKey, agent.id)).toBe(201);
    await done(service.dataDir, "agent", "delete", agent.id);
    expect(await statusOf(apiKey, agent.id)).toBe(404);
  });
});
