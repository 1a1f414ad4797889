import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { own, ownService } from "./own-service.ts";
import { scriptedModel } from "./scripted-model.ts";

// The whole life of an agent and its runs, as a person sees it: by roles, labels and words. Each test continues where the
// one before it ended.

const report = "# Report\n\nBerlin sold 40, Oslo 2.\n";
const bash = promisify(execFile);
const gates = { second: Promise.withResolvers<void>(), third: Promise.withResolvers<void>() };
const forever = new Promise<void>(() => {});

let page: Page;
let key: string;

// The list of runs is empty at first, and the audit log has these actions alone.
const service = ownService({
  script: (input, step) => {
    if (input.startsWith("Work without end")) return { until: forever };
    if (!input.startsWith("Compare")) return { text: `Read: ${input}` };
    if (step === 1) {
      const calls = ["berlin.csv", "oslo.csv"].map((name) => ({ name: "read_file", arguments: { name } }));
      return { text: "I read both files.", calls };
    }
    const write = { name: "write_file", arguments: { name: "report.md", content: report } };
    if (step === 2) return { text: "Now the report.", calls: [write], until: gates.second.promise };
    return { text: "**Berlin** sold more.", until: gates.third.promise };
  },
});

const failingModel = own(() => scriptedModel(() => ({ status: 401, text: "Incorrect API key provided" })));
const view = own(() => service.open());
beforeAll(() => void ({ page } = view));

async function openSection(name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

/** Presses a button of the open dialog. */
async function answer(button: string): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: button, exact: true }).click();
}

async function openAgent(tab: string): Promise<void> {
  await openSection("Agents");
  await page.getByRole("link", { name: "Sales analyst" }).click();
  await page.getByRole("main").getByRole("link", { name: tab, exact: true }).click();
}

/** Starts a run of the agent through v1, as a program does. */
function startByProgram(): Promise<Response> {
  const [agentId] = /[0-9a-f-]{36}/.exec(page.url()) ?? [];
  return fetch(`${service.baseUrl}/v1/agents`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "By a program", template_id: agentId, input_text: "Hello" }),
  });
}

test("the token of the link is nowhere in the address", () => {
  expect(page.url()).toBe(`${service.baseUrl}/console/`);
});

test("the empty list shows a first program in each language", async () => {
  const main = page.getByRole("main");
  await main.getByText(`curl -sS "${service.baseUrl}/ext/v1/runs"`).waitFor();
  await main.getByRole("button", { name: "TypeScript" }).click();
  await main.getByText(`new AgentRuns({ baseUrl: "${service.baseUrl}" })`).waitFor();
  await main.getByRole("button", { name: "curl (v1)" }).click();
  await main.getByText(`curl -sS "${service.baseUrl}/v1/agents"`).waitFor();
});

test("creates an organization", async () => {
  await openSection("Models");
  await page.getByRole("button", { name: "New organization" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Northwind");
  await answer("Create organization");
  await page.getByRole("heading", { name: "Model of Northwind" }).waitFor();
});

test("tests a model that fails, and shows the provider's own error", async () => {
  await page.getByLabel("Provider").selectOption({ label: "OpenAI-compatible server" });
  await page.getByLabel("Base URL").fill(failingModel.baseUrl);
  await page.getByRole("textbox", { name: "Model" }).fill("m");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  const failure = page.getByRole("alert").filter({ hasText: "failed after" });
  await failure.waitFor();
  expect(await failure.innerText()).toContain("Incorrect API key provided");
});

test("tests a model that answers, and saves it", async () => {
  await page.getByLabel("Base URL").fill(service.modelUrl);
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText("m answered").waitFor();
  await page.getByRole("button", { name: "Save model" }).click();
  await page.getByText("Saved the model of Northwind").waitFor();
});

test("creates an agent", async () => {
  await openSection("Agents");
  await page
    .getByRole("button", { name: "New agent" })
    .or(page.getByRole("link", { name: "New agent" }))
    .click();
  await page.getByLabel("Organization").selectOption({ label: "Northwind" });
  await page.getByLabel("Name", { exact: true }).fill("Sales analyst");
  await page.getByLabel("Instructions").fill("Compare sales. Write the result to report.md.");
  await page.getByText("Without prices (More settings), the cost of runs is not known.").waitFor();
  await page.getByRole("button", { name: "Create agent" }).click();
  await page.getByRole("heading", { level: 1, name: "Sales analyst" }).waitFor();
});

test("creates a key, and its ready command starts a run", async () => {
  await page.getByRole("button", { name: "Create key" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("billing");
  await answer("Create key");
  const dialog = page.getByRole("dialog", { name: "Key “billing” created" });
  key = (await dialog.getByText(/^ak_\w+$/).innerText()).trim();
  await dialog.getByText("Waiting for the first call with this key…").waitFor();
  expect(await dialog.getByRole("button", { name: "Done" }).isDisabled()).toBe(true);

  const command = await dialog.getByText(/^export AGENT_RUN_KEY=/).innerText();
  const { stdout } = await bash("sh", ["-c", command]);
  expect(JSON.parse(stdout)).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string });
  await dialog.getByText("Used: the first call arrived.").waitFor();
});

test("the key is gone when its dialog is closed", async () => {
  await page.getByRole("dialog").getByLabel("I have stored the key").check();
  await answer("Done");
  await page.getByRole("cell", { name: "billing" }).waitFor();
  const everything = (): Promise<string> =>
    page.evaluate(() => {
      const kept = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]);
      return document.documentElement.outerHTML + kept;
    });
  expect(await everything()).not.toContain(key);
  await page.reload();
  await page.getByRole("cell", { name: "billing" }).waitFor();
  expect(await everything()).not.toContain(key);
});

test("starts a run with a chosen and a dropped file", async () => {
  await page.getByRole("button", { name: "Start run" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Start run" });
  expect(await dialog.getByLabel("Agent").locator("option:checked").innerText()).toBe("Sales analyst");
  await dialog.getByLabel("Name").fill("Sales of November");
  await dialog.getByLabel("Input").fill("Compare the two cities.");
  const chosen = join(service.dataDir, "berlin.csv");
  writeFileSync(chosen, "item,sold\nlamp,40\n");
  const chooser = page.waitForEvent("filechooser");
  await dialog.getByText("choose files").click();
  await (await chooser).setFiles(chosen);
  await dialog.evaluate((element) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["item,sold\nlamp,2\n"], "oslo.csv", { type: "text/csv" }));
    for (const type of ["dragenter", "dragover", "drop"]) {
      element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    }
  });
  await dialog.getByText("2 of 10 files").waitFor();
  await answer("Start run");
  await page.getByRole("heading", { level: 1, name: "Sales of November" }).waitFor();
});

test("watches it: steps appear without a reload", async () => {
  const steps = page.getByRole("list", { name: "Timeline" });
  await page.getByRole("main").getByText("Running", { exact: true }).first().waitFor();
  await steps.getByRole("listitem", { name: /^Step 1,/ }).waitFor();
  expect(await steps.getByText("Now the report.").count()).toBe(0);
  await page.evaluate(() => void (document.body.dataset["same"] = "yes"));
  gates.second.resolve();
  await steps.getByText("Now the report.").waitFor();
  expect(await steps.getByText("sold more").count()).toBe(0);
  gates.third.resolve();
  await steps.getByText("Berlin sold more.").waitFor();
  await page.getByRole("main").getByText("Finished", { exact: true }).first().waitFor();
  expect(await page.evaluate(() => document.body.dataset["same"])).toBe("yes");
});

test("opens a step, and reads what its call received", async () => {
  await page.getByRole("button", { name: "read_file oslo.csv" }).click();
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByRole("heading", { name: "Step 1 / read_file" }).waitFor();
  await inspector.getByText("lamp,2").first().waitFor();
  expect(new URL(page.url()).searchParams.get("at")).toBe("1.1.2");
});

test("downloads the file that the run wrote", async () => {
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByLabel("Files at").selectOption({ label: "now" }); // as of the open step before that
  await page.getByRole("button", { name: "report.md A" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download report.md" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("report.md");
  expect(readFileSync(await file.path(), "utf8")).toBe(report);
});

test("sends an input, and stops the turn that it begins", async () => {
  await page.getByRole("button", { name: "Send input" }).click();
  await page.getByRole("dialog").getByLabel("Input").fill("Work without end");
  await answer("Send input");
  await page.getByRole("list", { name: "Timeline" }).getByText("Work without end").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("dialog", { name: "Stop this run?" }).waitFor();
  await answer("Stop run");
  await page.getByRole("main").getByText("Terminated", { exact: true }).first().waitFor();
  expect(await page.getByRole("button", { name: "Send input" }).isDisabled()).toBe(true);
});

test("copies it as a program with the uploads and the inputs of both turns", async () => {
  await page.getByRole("button", { name: "Copy as" }).click();
  await page.getByRole("button", { name: "TypeScript", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Copy as" });
  const program = await dialog.getByText(/^\/\/ The client/).innerText();
  expect(program).toContain('input: "Compare the two cities.",\n  files: ["berlin.csv", "oslo.csv"],');
  expect(program).toContain('of [\n  "Work without end",\n]');
  await dialog.getByRole("button", { name: "curl (v1)" }).click();
  await dialog.getByText("this is the first turn of 2").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
});

test("runs it again with changes", async () => {
  const before = page.url();
  await page.getByRole("button", { name: "Run again…" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Run again" });
  await dialog.getByText("2 of 10 files").waitFor();
  expect(await dialog.getByLabel("Input").inputValue()).toBe("Compare the two cities.");
  await dialog.getByLabel("Name").fill("Sales of December");
  await answer("Start run");
  await page.getByRole("heading", { level: 1, name: "Sales of December" }).waitFor();
  await page.getByRole("list", { name: "Timeline" }).getByText("Berlin sold more.").waitFor();
  expect(page.url()).not.toBe(before);
});

test("archives the agent: programs get 409", async () => {
  await openAgent("API access");
  expect((await startByProgram()).status).toBe(201);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Archive…" }).click();
  await answer("Archive");
  await page.getByText("Archived Sales analyst").waitFor();
  expect((await startByProgram()).status).toBe(409);
  expect(await page.getByRole("button", { name: "Start run" }).first().isDisabled()).toBe(true);
});

test("unarchives it", async () => {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Unarchive" }).click();
  await page.getByText("Unarchived Sales analyst").waitFor();
  expect((await startByProgram()).status).toBe(201);
});

test("disables the key: programs get 401", async () => {
  await page
    .getByRole("row", { name: /billing/ })
    .getByRole("button", { name: "Disable…" })
    .click();
  await answer("Disable");
  await page
    .getByRole("row", { name: /billing/ })
    .getByText("disabled")
    .waitFor();
  expect((await startByProgram()).status).toBe(401);
});

test("deletes a run", async () => {
  await openSection("Runs");
  await page.getByRole("link", { name: "Sales of November" }).click();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByText("Transcript, steps and 3 files go for good.").waitFor();
  await answer("Delete run");
  await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
  await page.getByRole("link", { name: "Sales of December" }).waitFor();
  await page.getByRole("link", { name: "Sales of November" }).waitFor({ state: "detached" });
});

test("the audit log shows all of it", async () => {
  await openSection("Settings");
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByRole("cell", { name: "key.disable" }).waitFor();
  const shown = await page.getByRole("table").innerText();
  const actions = ["org.create", "org.set-model", "agent.create", "key.create", "run.create", "run.input", "run.stop"];
  actions.push("agent.archive", "agent.unarchive", "key.disable", "run.delete");
  expect(actions.filter((action) => !shown.includes(action))).toEqual([]);
});
