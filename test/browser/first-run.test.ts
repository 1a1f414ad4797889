import { expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";

const service = ownOrganization();

test.each([1280, 390])("three samples wait for a first start, at %d px without sideways scroll", async (width) => {
  const { page } = await service.open("", { viewport: { width, height: 900 } });
  const samples = page.getByRole("list", { name: "Samples" }).getByRole("button");
  await expect.poll(() => samples.count()).toBe(3);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await page.getByText("The demo model costs nothing.").waitFor();
  expect(await page.getByRole("link", { name: "Choose model" }).getAttribute("href")).toBe("/console/models");
});

test("a sample fills input and files of the first run, which starts with them", async () => {
  const { page } = await service.open();
  await page.getByRole("button", { name: /Revenue by region from two tables/ }).click();
  const dialog = page.getByRole("dialog", { name: "Start run" });
  await expect.poll(() => dialog.getByLabel("Input").inputValue()).toContain("Save the table as revenue.csv");
  await dialog.getByText("2 of 10 files").waitFor();
  await dialog.getByRole("button", { name: "Start run" }).click();
  await page.getByRole("heading", { level: 1, name: /^Revenue by region/ }).waitFor();
  await page.getByRole("main").getByText("Finished", { exact: true }).first().waitFor();
  await page.getByRole("tab", { name: /^Files/ }).click();
  await page.getByText("regions.csv").first().waitFor();
});
