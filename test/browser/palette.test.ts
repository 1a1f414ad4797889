import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { openConsole } from "./console-page.ts";
import { scriptedModel } from "./scripted-model.ts";

// Keys in the palette, with a page and a dialog below it.

let browser: Browser;
let service: Service;
let model: Awaited<ReturnType<typeof scriptedModel>>;

beforeAll(async () => {
  model = await scriptedModel((input) => ({ text: `Answer to ${input}` }));
  service = await startService(newDataDir(), modelAt(model.baseUrl));
  browser = await launchChromium();
  for (const name of ["Wanted", "Newest"]) await finished(service, await createRun(service, { name, input_text: "x" }));
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

test("Enter right after typing opens the run that was typed", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "runs" });
  const { page } = view;
  await page.getByRole("link", { name: "Wanted" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Newest" }).waitFor();
  await page.keyboard.type("Wanted");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Wanted" }).waitFor();
  await expect.poll(() => page.title()).toBe("Wanted · Agent Run Service");
});

test("Ctrl+Enter in the palette starts no run in the dialog below it", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "runs" });
  const { page, context } = view;
  await page.getByRole("link", { name: "Newest" }).waitFor();
  await page.keyboard.press("n");
  await page.getByRole("dialog", { name: "Start run" }).waitFor();
  await page.keyboard.type("Never sent");
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Newest" }).waitFor();
  const opened = context.waitForEvent("page");
  await page.keyboard.press("Control+Enter");
  await opened;
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Search or run a command" }).waitFor({ state: "detached" });
  await page.getByRole("dialog", { name: "Start run" }).waitFor();
  expect(await page.getByRole("link", { name: "Never sent" }).count()).toBe(0);
});

test("the command Filter moves the focus to the filter", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "runs" });
  const { page } = view;
  await page.getByRole("link", { name: "Newest" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Newest" }).waitFor();
  await page.keyboard.type("Filter");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.type("Wanted");
  await page.waitForURL(/q=Wanted/);
});
