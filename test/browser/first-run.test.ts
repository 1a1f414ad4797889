import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { noMisdeeds, openConsole } from "./console-page.ts";

let browser: Browser;
let service: Service;

beforeAll(async () => {
  service = await startService();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

test.each([1280, 390])("three samples wait for a first start, at %d px without sideways scroll", async (width) => {
  await using view = await openConsole(browser, service.consoleUrl, { viewport: { width, height: 900 } });
  const { page } = view;
  const samples = page.getByRole("list", { name: "Samples" }).getByRole("button");
  await expect.poll(() => samples.count()).toBe(3);
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  await page.getByText("The demo model costs nothing.").waitFor();
  expect(await page.getByRole("link", { name: "Choose model" }).getAttribute("href")).toBe("/console/models");
});

test("a sample fills input and files of the first run, which starts with them", async () => {
  await using view = await openConsole(browser, service.consoleUrl);
  const { page, misdeeds } = view;
  await page.getByRole("button", { name: /Revenue by region from two tables/ }).click();
  const dialog = page.getByRole("dialog", { name: "Start run" });
  expect(await dialog.getByLabel("Input").inputValue()).toContain("Save the table as revenue.csv");
  await dialog.getByText("2 of 10 files").waitFor();
  await dialog.getByRole("button", { name: "Start run" }).click();
  await page.getByRole("heading", { level: 1, name: /^Revenue by region/ }).waitFor();
  await page.getByRole("main").getByText("Finished", { exact: true }).first().waitFor();
  await page.getByRole("tab", { name: /^Files/ }).click();
  await page.getByText("regions.csv").first().waitFor();
  expect(misdeeds).toEqual(noMisdeeds);
});
