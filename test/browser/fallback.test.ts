import { expect, test } from "vitest";
import { createRun, finished } from "../integration/service.ts";
import { own, ownOrganization } from "./own-service.ts";
import { scriptedModel } from "./scripted-model.ts";

const keys: (string | undefined)[] = [];
const pasted = "sk-backup-0123456789";

const backup = own(() =>
  scriptedModel((_input, _step, _instructions, { authorization }) => {
    keys.push(authorization);
    return { text: "From the backup." };
  }),
);
const service = ownOrganization({ script: () => ({ status: 503, text: "Maintenance", retryAfter: 40 }) });

test("a person adds a model configuration, names it as a fallback, and sees that it answered", async () => {
  const view = await service.open("models");
  const { page } = view;
  const add = page.getByRole("button", { name: "Add configuration" });
  await add.click();
  await page.getByLabel("Name", { exact: true }).fill("Back up");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Use up to 40 lower-case letters").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("backup");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Model configuration backup of Local" }).waitFor();
  await page.getByLabel("Provider").selectOption("openai-compatible");
  await page.getByLabel("Base URL").fill(backup.baseUrl);
  await page
    .getByRole("combobox", { name: "Model" })
    .or(page.getByRole("textbox", { name: "Model" }))
    .fill("qwen3");
  await page.getByRole("button", { name: "Paste a key…" }).click();
  await page.getByLabel("Key", { exact: true }).fill(pasted);
  await page.keyboard.press("Enter");
  await page.getByLabel("Key", { exact: true }).waitFor({ state: "detached" });
  expect(await page.getByLabel("Secret").inputValue()).toMatch(/\/model-key-backup$/);
  await page.getByRole("button", { name: "Save model" }).click();
  await page.getByText("Saved backup").waitFor();

  await view.goto(`agents/${service.templateId}?tab=edit`);
  const changes = page.getByRole("region", { name: "Changes" });
  const fallback = page.getByRole("group", { name: "Fallback" });
  await fallback.getByLabel("Model configuration").fill("backup2");
  await changes.getByRole("button").last().click();
  await fallback.getByText('fallback.modelConfiguration is "backup2"').waitFor();
  await fallback.getByLabel("Model configuration").fill("backup");
  await changes.getByRole("button").last().click();
  await changes.waitFor({ state: "detached" });

  const runId = await createRun(service, { input_text: "Hello." });
  expect((await finished(service, runId)).transcript.at(-1)?.text).toBe("From the backup.");
  expect(keys.at(-1)).toBe(`Bearer ${pasted}`);
  await view.goto(`runs/${runId}`);
  const timeline = page.getByText(
    /The fallback qwen3 \(backup\) was asked: The model server .* answered 503: Maintenance/,
  );
  await timeline.waitFor();
  expect(await page.getByText("The message is above.").count()).toBe(0);

  await view.goto("models?configuration=backup");
  await page.getByRole("button", { name: "Remove…" }).click();
  await page.getByRole("button", { name: "Remove model" }).click();
  await page.getByText('model configuration "backup" is named by an agent').waitFor();
});
