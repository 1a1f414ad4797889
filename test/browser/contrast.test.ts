import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";

const service = ownOrganization();

beforeAll(async () => {
  await service.endedRun({ input_text: "go" });
});

const styleOf = (page: Page, selector: string, property: "backgroundColor" | "borderBottomColor" | "color") =>
  page
    .locator(selector)
    .first()
    .evaluate((element, name) => getComputedStyle(element)[name], property);

test("with forced colours, only the current tab and section are underlined, and the pressed segment is marked", async () => {
  const view = await service.open("usage");
  const { page } = view;
  await page.getByRole("button", { name: "By agent" }).waitFor();
  await page.emulateMedia({ forcedColors: "active" });
  const canvas = await styleOf(page, "html", "backgroundColor");
  expect(await styleOf(page, ".sections a:not([aria-current])", "borderBottomColor")).toBe(canvas);
  expect(await styleOf(page, ".sections a[aria-current]", "borderBottomColor")).not.toBe(canvas);
  const pressed = await styleOf(page, ".segments [aria-pressed=true]", "backgroundColor");
  expect(pressed).not.toBe(await styleOf(page, ".segments [aria-pressed=false]", "backgroundColor"));
  await view.goto("settings");
  await page.getByRole("link", { name: "This browser" }).waitFor();
  expect(await styleOf(page, ".tabs > :not([aria-current])", "borderBottomColor")).toBe(canvas);
  expect(await styleOf(page, ".tabs > [aria-current]", "borderBottomColor")).not.toBe(canvas);
});

test("who asks for more contrast gets the text colour for secondary text", async () => {
  const { page } = await service.open("usage");
  await page.locator(".figures dt").first().waitFor(); // the figures come after the choices above them
  const text = () => styleOf(page, "h1", "color");
  const secondary = () => styleOf(page, ".figures dt", "color");
  expect(await secondary()).not.toBe(await text());
  await page.emulateMedia({ contrast: "more" });
  expect(await secondary()).toBe(await text());
});
