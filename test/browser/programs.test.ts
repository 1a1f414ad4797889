import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { done } from "../integration/admin.ts";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { type ConsolePage, noMisdeeds, openConsole } from "./console-page.ts";
import { scriptedModel } from "./scripted-model.ts";

// What the page shows of programs, on a service without a Linux: Python works, a shell does not.

const totals = `import os
print("start")
open("totals.csv", "w").write("total\\n42\\n")
os.remove("old.csv")
raise ValueError("no column amount")`;

let browser: Browser;
let service: Service;
let model: Awaited<ReturnType<typeof scriptedModel>>;
let view: ConsolePage;
let agentId: string;

beforeAll(async () => {
  model = await scriptedModel((_input, step) => {
    if (step > 1) return { text: "There is no column amount." };
    return { text: "I add up.", calls: [{ name: "run_python", arguments: { code: totals } }] };
  });
  service = await startService(newDataDir(), [...modelAt(model.baseUrl), "--sandbox", "off"]);
  const file = join(service.dataDir, "agent.json");
  const tools = ["list_files", "run_python", "run_shell"];
  writeFileSync(file, JSON.stringify({ name: "Analyst", instructions: "Compute.", tools }));
  agentId = (await done(service.dataDir, "agent", "create", "--file", file)).id;
  const { api_key: apiKey } = await done(service.dataDir, "key", "create", "--agent", agentId);
  const caller = { ...service, apiKey, templateId: agentId };
  const files = [{ filename: "old.csv", content_base64: "YQ==" }];
  const { agent_id: runId } = await finished(caller, await createRun(caller, { input_text: "Add up.", files }));
  browser = await launchChromium();
  view = await openConsole(browser, service.consoleUrl, { path: `runs/${runId}?at=1.1.1` });
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

test("a run names the missing tool with its reason, and what the model can use instead works", async () => {
  const step = view.page.getByRole("listitem", { name: /^Step 1/ });
  await step.getByText(/^run_shell is not available\. .*--sandbox off/).waitFor();
  await step.getByText("run_python").waitFor();
});

test("a failed program shows its exit code with its error, and the files that it changed", async () => {
  const step = view.page.getByRole("listitem", { name: /^Step 1/ });
  await step.getByText("exit code 1: ValueError: no column amount").waitFor();
  expect(await step.getByText("start", { exact: true }).count()).toBe(0);
  const changed = step.getByRole("list", { name: "Changed files" }).getByRole("listitem");
  expect((await changed.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ")).toSorted()).toEqual([
    "old.csv deleted",
    "totals.csv",
  ]);
  await changed.getByRole("link", { name: "totals.csv" }).click();
  await view.page.getByRole("tabpanel").getByText("42").first().waitFor();
});

test("the form explains each tool, and asks for the environment of those that need one", async () => {
  const { page } = view;
  await view.goto(`agents/${agentId}?tab=edit`);
  const shell = page.getByRole("checkbox", { name: "run_shell" });
  await shell.waitFor();
  expect(await page.getByText("Runs Python on the files. Without network.").count()).toBe(1);
  const environment = page.getByRole("combobox", { name: "Environment" });
  expect(await environment.getAttribute("placeholder")).toBe("linux");
  await shell.uncheck();
  await page.getByRole("checkbox", { name: "run_python" }).uncheck();
  await environment.waitFor({ state: "detached" });
});

test("the page did nothing that it never does", () => {
  expect(view.misdeeds).toEqual(noMisdeeds);
});
