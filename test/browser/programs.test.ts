import { beforeAll, expect, test } from "vitest";
import type { ConsolePage } from "./console-page.ts";
import { ownService } from "./own-service.ts";

// What the page shows of programs, on a service without a Linux: Python works, a shell does not.

const totals = `import os
print("start")
open("totals.csv", "w").write("total\\n42\\n")
os.remove("old.csv")
raise ValueError("no column amount")`;

let view: ConsolePage;

// The sandbox is an option of the service.
const service = ownService({
  args: () => ["--sandbox", "off"],
  script: (_input, step) => {
    if (step > 1) return { text: "There is no column amount." };
    return { text: "I add up.", calls: [{ name: "run_python", arguments: { code: totals } }] };
  },
});

beforeAll(async () => {
  const definition = { name: "Analyst", instructions: "Compute.", tools: ["list_files", "run_python", "run_shell"] };
  await service.call("PUT", `/agents/${service.templateId}`, { definition });
  const files = [{ filename: "old.csv", content_base64: "YQ==" }];
  const runId = await service.endedRun({ input_text: "Add up.", files });
  view = await service.open(`runs/${runId}?at=1.1.1`);
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
  await view.goto(`agents/${service.templateId}?tab=edit`);
  const shell = page.getByRole("checkbox", { name: "run_shell" });
  await shell.waitFor();
  expect(await page.getByText("Runs Python on the files. Without network.").count()).toBe(1);
  const environment = page.getByRole("combobox", { name: "Environment" });
  expect(await environment.getAttribute("placeholder")).toBe("linux");
  await shell.uncheck();
  await page.getByRole("checkbox", { name: "run_python" }).uncheck();
  await environment.waitFor({ state: "detached" });
});
