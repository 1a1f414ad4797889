import { beforeAll, expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";

// Keys in the palette, with a page and a dialog below it.

const service = ownOrganization({
  script: (input) => ({ text: `Answer to ${input}` }),
});

beforeAll(async () => {
  for (const name of ["Wanted", "Newest"]) await service.endedRun({ name, input_text: "x" });
});

test("Enter right after typing opens the run that was typed", async () => {
  const { page } = await service.open("runs");
  await page.getByRole("link", { name: "Wanted" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Newest" }).waitFor();
  await page.keyboard.type("Wanted");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Wanted" }).waitFor();
  await expect.poll(() => page.title()).toBe("Wanted · Agent Run Service");
});

test("Ctrl+Enter in the palette starts no run in the dialog below it", async () => {
  const { page, context } = await service.open("runs");
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
  const { page } = await service.open("runs");
  await page.getByRole("link", { name: "Newest" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Newest" }).waitFor();
  await page.keyboard.type("Filter");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.type("Wanted");
  await page.waitForURL(/q=Wanted/);
});
