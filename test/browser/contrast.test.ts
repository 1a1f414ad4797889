import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRun, finished, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { openConsole } from "./console-page.ts";

let browser: Browser;
let service: Service;

beforeAll(async () => {
  service = await startService();
  browser = await launchChromium();
  await finished(service, await createRun(service, { input_text: "go" }));
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

// Code of the page, as text: the tests have no types of a browser.
const styleOf = (selector: string, property: string): string =>
  `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`;

test("with forced colours, only the current tab and section are underlined, and the pressed segment is marked", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "usage" });
  const { page } = view;
  await page.getByRole("button", { name: "By agent" }).waitFor();
  await page.emulateMedia({ forcedColors: "active" });
  const canvas = await page.evaluate(styleOf("html", "backgroundColor"));
  expect(await page.evaluate(styleOf(".sections a:not([aria-current])", "borderBottomColor"))).toBe(canvas);
  expect(await page.evaluate(styleOf(".sections a[aria-current]", "borderBottomColor"))).not.toBe(canvas);
  const pressed = await page.evaluate(styleOf(".segments [aria-pressed=true]", "backgroundColor"));
  expect(pressed).not.toBe(await page.evaluate(styleOf(".segments [aria-pressed=false]", "backgroundColor")));
  await view.goto("settings");
  await page.getByRole("link", { name: "This browser" }).waitFor();
  expect(await page.evaluate(styleOf(".tabs > :not([aria-current])", "borderBottomColor"))).toBe(canvas);
  expect(await page.evaluate(styleOf(".tabs > [aria-current]", "borderBottomColor"))).not.toBe(canvas);
});

test("who asks for more contrast gets the text colour for secondary text", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "usage" });
  const { page } = view;
  await page.locator(".figures dt").first().waitFor(); // the figures come after the choices above them
  const [text, secondary] = [styleOf("h1", "color"), styleOf(".figures dt", "color")];
  expect(await page.evaluate(secondary)).not.toBe(await page.evaluate(text));
  await page.emulateMedia({ contrast: "more" });
  expect(await page.evaluate(secondary)).toBe(await page.evaluate(text));
});
