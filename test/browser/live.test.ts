import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createRun, finished } from "../integration/service.ts";
import { ownService } from "./own-service.ts";

// Runs while the service, the connection or another person does something. A run named "hold" waits in its third step
// until the test opens the gate.

let gate = Promise.withResolvers<void>();

// A test kills the service.
const service = ownService({
  script: (input, step) => {
    if (!input.startsWith("hold")) return { text: `Answer to ${input}` };
    const calls = [{ name: "write_file", arguments: { name: `${step}.txt`, content: String(step) } }];
    if (step < 3) return { text: `Writes ${step}.txt`, calls };
    return step === 3 ? { text: "Writes the last file", calls, until: gate.promise } : { text: "All is written." };
  },
});

/** The names of the steps in the timeline, without their times. */
async function stepsOf(page: Page): Promise<string[]> {
  const items = page.getByRole("list", { name: "Timeline" }).getByRole("listitem", { name: /^Step/ });
  const labels = await items.evaluateAll((elements) => elements.map((element) => element.ariaLabel ?? ""));
  return labels.map((label) => label.split(",")[0] ?? "");
}

/** The row of the step in progress. */
const inProgress = (page: Page, step: number) =>
  page.locator(".run-row.live").filter({ hasText: `${step}Waiting for the model` });

const status = (page: Page, word: string) => page.getByRole("main").getByText(word, { exact: true }).first();

test("a page that is open while the service is killed continues without a reload", async () => {
  gate = Promise.withResolvers();
  const runId = await createRun(service, { name: "Killed", input_text: "hold" });
  const { page } = await service.open(`runs/${runId}`);
  await inProgress(page, 3).waitFor();
  await page.evaluate(() => void (document.body.dataset["same"] = "yes"));

  await service.kill();
  await page.getByText(/^Reconnecting, try \d+, next in \d+ s$/).waitFor();
  await page.getByText(/The service does not respond\. What you see is as of/).waitFor();
  expect(await stepsOf(page)).toEqual(["Step 1", "Step 2"]);

  await service.startAgain();
  await page.getByRole("banner").getByText("Live", { exact: true }).waitFor();
  gate.resolve();
  await page.getByText("All is written.").waitFor();
  await status(page, "Finished").waitFor();
  expect(await stepsOf(page)).toEqual(["Step 1", "Step 2", "Step 3", "Step 4"]);
  await page
    .getByText(
      /Interrupted: the service was restarted\. Resumed .* after the last record\. 2 steps kept, none repeated/,
    )
    .waitFor();
  expect(await page.evaluate(() => document.body.dataset["same"])).toBe("yes");
});

test("two browsers on one run see the same, and an input from one appears in the other", async () => {
  gate = Promise.withResolvers();
  const runId = await createRun(service, { name: "Shared", input_text: "hold" });
  const one = await service.open(`runs/${runId}`);
  const other = await service.open(`runs/${runId}`);
  const pages = [one.page, other.page];
  await Promise.all(pages.map((page) => inProgress(page, 3).waitFor()));

  await one.page.getByRole("button", { name: "Send input" }).click();
  await one.page.getByRole("dialog").getByLabel("Input").fill("from one");
  await one.page.getByRole("dialog").getByRole("button", { name: "Send input" }).click();
  await Promise.all(pages.map((page) => page.getByText("1 queued").waitFor()));
  gate.resolve();
  await Promise.all(pages.map((page) => page.getByText("Answer to from one").waitFor()));

  await other.page.getByRole("button", { name: "Send input" }).click();
  await other.page.getByRole("dialog").getByLabel("Input").fill("from the other");
  await other.page.keyboard.press("Control+Enter");
  await Promise.all(pages.map((page) => page.getByText("Answer to from the other").waitFor()));
  await Promise.all(pages.map((page) => status(page, "Finished").waitFor()));
  const [steps, others] = await Promise.all(pages.map(stepsOf));
  expect(steps).toEqual(others);
});

test("a revoked link leads to the screen that says how to sign in", async () => {
  const { page } = await service.open("settings");
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Mira");
  await page.getByRole("dialog").getByRole("button", { name: "Create link" }).click();
  const link = await page.getByRole("dialog").getByText(/#ao_/).innerText();
  await page.getByRole("dialog").getByRole("button", { name: "Copy link" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();

  const hers = await service.open("", { link: link.trim() });
  await hers.page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  await page.getByRole("row", { name: /Mira/ }).getByRole("button", { name: "Revoke…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await hers.page.getByRole("heading", { name: "This link was revoked" }).waitFor();
  expect(await hers.page.getByRole("main").innerText()).toContain("npm run -s admin -- operator link");
});

test("a visitor without a link learns where to get one", async () => {
  const page = await service.newPage();
  await page.goto(`${service.baseUrl}/console/runs`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByText("npm run -s admin -- operator link").waitFor();
});

test("a deep link opens the step and the tab", async () => {
  gate.resolve();
  const runId = await service.endedRun({ name: "Linked", input_text: "hold" });
  const view = await service.open(`runs/${runId}?at=1.2.1&tab=files`);
  const inspector = view.page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByRole("heading", { name: "Step 2 / write_file" }).waitFor();
  expect(await inspector.getByRole("tab", { name: "Files" }).getAttribute("aria-selected")).toBe("true");
});

test("filters of the list are in its address, and survive a reload", async () => {
  await createRun(service, { name: "Other", input_text: "x" }).then((id) => finished(service, id));
  const { page } = await service.open("runs");
  await page.getByRole("link", { name: "Other" }).waitFor();
  await page.getByRole("navigation", { name: "Status" }).getByRole("link", { name: "Finished" }).click();
  await page.getByRole("searchbox").fill("Linked");
  await page.getByRole("link", { name: "Other" }).waitFor({ state: "detached" });
  const query = (): object => Object.fromEntries(new URL(page.url()).searchParams);
  await expect.poll(query).toEqual({ status: "finished", q: "Linked" });
  await page.reload();
  await page.getByRole("link", { name: "Linked" }).waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("Linked");
  expect(await page.getByRole("link", { name: "Other" }).count()).toBe(0);
});
