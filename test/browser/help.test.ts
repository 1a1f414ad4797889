import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRun, finished, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { openConsole } from "./console-page.ts";

let browser: Browser;
let service: Service;
let runId: string;

beforeAll(async () => {
  service = await startService();
  browser = await launchChromium();
  runId = await createRun(service, { input_text: "go" });
  await finished(service, runId);
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

test.each([
  ["runs", () => "runs"],
  ["a run", () => `runs/${runId}`],
  ["an agent", () => `agents/${service.templateId}`],
])("no heading of the shortcuts of %s stands alone at the foot of a column", async (_, path) => {
  await using view = await openConsole(browser, service.consoleUrl, { path: path() });
  const { page } = view;
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await dialog.waitFor();
  for (const section of await dialog.locator(".shortcuts section").all()) {
    const heading = await section.getByRole("heading").boundingBox();
    const first = await section.locator("dl > div").first().boundingBox();
    expect(first?.x).toBe(heading?.x);
  }
});
