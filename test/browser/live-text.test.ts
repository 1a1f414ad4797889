import type { ServerResponse } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRun, modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { chatServer, chunk, send, startStream } from "../providers/chat-completions-server.ts";
import { launchChromium } from "./chromium.ts";
import { noMisdeeds, openConsole } from "./console-page.ts";

// What the page shows of an answer while a model writes it. The test is the model.

const calls: ServerResponse[] = [];
let model: Awaited<ReturnType<typeof chatServer>>;
let service: Service;
let browser: Browser;

beforeAll(async () => {
  model = await chatServer(
    ...Array.from({ length: 20 }, () => (response: ServerResponse) => {
      startStream(response);
      calls.push(response);
    }),
  );
  service = await startService(newDataDir(), modelAt(model.baseUrl));
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

async function nextCall(): Promise<ServerResponse> {
  await expect.poll(() => calls.length).toBeGreaterThan(0);
  const call = calls.shift();
  if (!call) throw new Error("no model call");
  return call;
}

const writes = (call: ServerResponse, text: string): void => send(call, chunk({ content: text }));

function finishes(call: ServerResponse): void {
  send(call, chunk({}, { finish_reason: "stop" }), "[DONE]");
  call.end();
}

/** Growing text that the page shows. */
const growing = (page: Page) => page.locator(".run-growing");
/** How often a text is on the page. */
const times = (page: Page, text: string) => page.getByRole("region", { name: "Steps" }).getByText(text).count();

test.each([1280, 390])("a text grows, and the recorded answer replaces it once (%i px)", async (width) => {
  const run = await createRun(service, { name: "Grows", input_text: "Write." });
  await using view = await openConsole(browser, service.consoleUrl, {
    path: `runs/${run}`,
    viewport: { width, height: 800 },
  });
  const { page, misdeeds } = view;
  const call = await nextCall();
  writes(call, "Once upon a time\n");
  await expect.poll(() => growing(page).textContent()).toBe("Once upon a time\n");
  writes(call, "there was a <b>fox</b>. ".repeat(40));
  await expect.poll(async () => (await growing(page).textContent())?.length).toBeGreaterThan(900);
  expect(await growing(page).getAttribute("aria-hidden")).toBe("true");
  expect(await growing(page).locator("b").count()).toBe(0);
  const sideways = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
  expect(await page.evaluate(sideways)).toBe(false);
  await page.reload();
  await expect.poll(async () => (await growing(page).textContent())?.startsWith("Once upon a time")).toBe(true);
  finishes(call);
  await page.getByText("Finished", { exact: true }).first().waitFor();
  await expect.poll(() => growing(page).count()).toBe(0);
  expect(await times(page, "Once upon a time")).toBeGreaterThan(0);
  expect(misdeeds).toEqual(noMisdeeds);
});

test("a repeated call begins the text again", async () => {
  const run = await createRun(service, { name: "Again", input_text: "Write." });
  await using view = await openConsole(browser, service.consoleUrl, { path: `runs/${run}` });
  const { page, misdeeds } = view;
  const first = await nextCall();
  writes(first, "A first attempt");
  await expect.poll(() => growing(page).textContent()).toBe("A first attempt");
  first.destroy();
  const second = await nextCall();
  writes(second, "Another one");
  await expect.poll(() => growing(page).textContent()).toBe("Another one");
  finishes(second);
  await expect.poll(() => growing(page).count()).toBe(0);
  expect(misdeeds).toEqual(noMisdeeds);
});
