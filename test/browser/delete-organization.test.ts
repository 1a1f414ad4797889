import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { done } from "../integration/admin.ts";
import { newDataDir, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { type ConsolePage, noMisdeeds, openConsole } from "./console-page.ts";

// The deletion of an organization: confirmed with its name, it says what is lost, and that it cannot be cancelled.

let browser: Browser;
let service: Service;
let view: ConsolePage;
let page: Page;

beforeAll(async () => {
  service = await startService(newDataDir());
  const { id } = await done(service.dataDir, "org", "create", "--name", "Acme Ltd");
  browser = await launchChromium();
  view = await openConsole(browser, service.consoleUrl, { path: `models?organization=${id}` });
  page = view.page;
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

test("the deletion waits for the name, shows that it continues, and ends at the top of another organization", async () => {
  await page.getByRole("button", { name: "Delete organization" }).click();
  const dialog = page.getByRole("dialog");
  const submit = dialog.getByRole("button", { name: "Delete organization" });
  const background = () =>
    page.evaluate<string>("getComputedStyle(document.querySelector('dialog [type=submit]')).backgroundColor");
  await dialog.getByText("Type “Acme Ltd” to confirm.").waitFor();
  await dialog.getByLabel("Name").fill("acme");
  expect(await submit.isDisabled()).toBe(true);
  const disabled = await background();
  await dialog.getByLabel("Name").fill("Acme Ltd");
  expect(await submit.isEnabled()).toBe(true);
  await expect.poll(background).not.toBe(disabled);

  const held = Promise.withResolvers<void>();
  await page.route("**/manage/v1/organizations/*", async (route) => {
    if (route.request().method() === "DELETE") await held.promise;
    await route.continue();
  });
  await submit.click();
  await dialog.getByText("This cannot be cancelled.").waitFor();
  await expect.poll(background).toBe(disabled);
  expect(await dialog.getByRole("button", { name: "Cancel" }).count()).toBe(0);
  expect(await dialog.getByLabel("Name").isEditable()).toBe(false);
  await dialog.getByText("0 runs deleted so far").waitFor();
  held.resolve();
  await page.getByText("Deleted Acme Ltd with 0 runs").waitFor();
  await expect.poll(() => page.evaluate("scrollY")).toBe(0);
  expect(view.misdeeds).toEqual(noMisdeeds);
});
