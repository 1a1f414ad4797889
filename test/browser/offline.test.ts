import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRun, modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { openConsole } from "./console-page.ts";
import { scriptedModel } from "./scripted-model.ts";

let browser: Browser;
let service: Service;
let model: Awaited<ReturnType<typeof scriptedModel>>;

beforeAll(async () => {
  model = await scriptedModel(() => ({ until: new Promise(() => {}) }));
  service = await startService(newDataDir(), modelAt(model.baseUrl));
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

test("without the service nothing can be started or stopped, and it is tried at once when the network is back", async () => {
  await createRun(service, { name: "Works", input_text: "go" });
  await using view = await openConsole(browser, service.consoleUrl, { path: "runs" });
  const { page, context } = view;
  const start = page.getByRole("main").getByRole("button", { name: "Start run" });
  await page.getByRole("link", { name: "Works" }).waitFor();
  expect(await start.isEnabled()).toBe(true);
  await page.clock.install();
  await context.setOffline(true);
  await page.clock.runFor(3_000); // the next poll of the list
  await page.getByText(/^Reconnecting, try 1/).waitFor();
  expect(await start.isDisabled()).toBe(true);
  expect(await start.getAttribute("title")).toBe("The service does not respond.");
  await page.emulateMedia({ reducedMotion: "no-preference" });
  expect(await page.evaluate("getComputedStyle(document.querySelector('table .spin')).animationName")).toBe("none");
  await expect
    .poll(async () => {
      await page.clock.runFor(2_000);
      return page.getByRole("banner").innerText();
    })
    .toContain("Offline");
  // The clock of the page stands still: no wait can end by itself.
  await context.setOffline(false);
  await page.getByRole("banner").getByText("Live", { exact: true }).waitFor();
  expect(await start.isEnabled()).toBe(true);
});

test("a form stays open for typing while the service does not respond", async () => {
  const path = `agents/${service.templateId}?tab=edit`;
  await using view = await openConsole(browser, service.consoleUrl, { path });
  const { page, context } = view;
  const name = page.getByLabel("Name", { exact: true });
  await name.waitFor();
  await page.clock.install();
  await context.setOffline(true);
  await name.fill("Renamed");
  await page.clock.runFor(16_000); // the next poll of agents and organizations
  await page.getByText(/^Reconnecting, try/).waitFor();
  await name.pressSequentially("!");
  expect(await name.inputValue()).toBe("Renamed!");
  expect(await page.getByRole("button", { name: "Save as version 2" }).isDisabled()).toBe(true);
});
