import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createRun } from "../integration/service.ts";
import { ownOrganization } from "./own-service.ts";

/** Loads the page again with a clock that the test can move. */
async function withClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.reload();
}

/** Lets time pass until the banner has a text. */
async function passUntil(page: Page, text: RegExp): Promise<void> {
  const pass = async (): Promise<string> => {
    await page.clock.runFor(1_000);
    return page.getByRole("banner").innerText();
  };
  await expect.poll(pass).toMatch(text);
}

const service = ownOrganization({
  script: () => ({ until: new Promise(() => {}) }),
});

test("without the service nothing can be started or stopped, and it is tried at once when the network is back", async () => {
  await createRun(service, { name: "Works", input_text: "go" });
  const { page, context } = await service.open("runs");
  const start = page.getByRole("main").getByRole("button", { name: "Start run" });
  await withClock(page);
  await page.getByRole("link", { name: "Works" }).waitFor();
  expect(await start.isEnabled()).toBe(true);
  await context.setOffline(true);
  await passUntil(page, /Reconnecting, try \d/);
  // A request from before that can still be answered.
  await expect.poll(() => start.isDisabled()).toBe(true);
  await expect.poll(() => start.getAttribute("title")).toBe("The service does not respond.");
  await page.emulateMedia({ reducedMotion: "no-preference" });
  const spinner = page.locator("table .spin").first();
  await expect.poll(() => spinner.evaluate((icon) => getComputedStyle(icon).animationName)).toBe("none");
  await page.clock.pauseAt(Date.now() + 600_000); // later than any time that has passed
  await passUntil(page, /Offline/);
  // The clock of the page stands still: no wait can end by itself.
  await context.setOffline(false);
  await page.getByRole("banner").getByText("Live", { exact: true }).waitFor();
  expect(await start.isEnabled()).toBe(true);
});

test("a form stays open for typing while the service does not respond", async () => {
  const { page, context } = await service.open(`agents/${service.templateId}?tab=edit`);
  const name = page.getByLabel("Name", { exact: true });
  await withClock(page);
  await name.waitFor();
  await context.setOffline(true);
  await name.fill("Renamed");
  await passUntil(page, /Reconnecting, try \d/);
  await name.pressSequentially("!");
  expect(await name.inputValue()).toBe("Renamed!");
  expect(await page.getByRole("button", { name: "Save as version 2" }).isDisabled()).toBe(true);
});
