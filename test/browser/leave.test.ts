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

test("leaving a page with edits asks in a dialog of the page: by link, by key and by Back", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "agents" });
  const { page, misdeeds } = view;
  await page.getByRole("link", { name: "Starter agent" }).click();
  await page.getByRole("main").getByRole("link", { name: "Edit", exact: true }).first().click();
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("Renamed");
  const dialog = page.getByRole("dialog", { name: "Leave without saving?" });

  await page.getByRole("link", { name: "Usage" }).click();
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await name.inputValue()).toBe("Renamed");

  await page.goBack();
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  expect(await name.inputValue()).toBe("Renamed");

  await page.getByRole("heading", { level: 1 }).click(); // out of the field
  await page.keyboard.press("g");
  await page.keyboard.press("u");
  await dialog.getByRole("button", { name: "Discard changes" }).click();
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect(misdeeds).toEqual(noMisdeeds);
});
