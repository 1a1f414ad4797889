import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { httpServer } from "../support/http-server.ts";
import { type ConsolePage, noMisdeeds } from "./console-page.ts";
import { own, ownOrganization } from "./own-service.ts";
import { violations } from "./violations.ts";

const hostile = `<img src=x onerror="window.pwned=1;alert(1)">\u202Egpj.exe`;

let agentId: string;
/** Of a finished trial, tried once for all tests. */
let trialId: string;
/** A gate for the answers to tried turns. */
let gate: Promise<unknown> = Promise.resolve();

const definition = {
  name: `Reporter ${hostile}`,
  instructions: "Write reports.",
  tools: ["list_files", "read_file", "write_file", "web_fetch"],
  limits: { steps: 10, tokens: 100_000, seconds: 60 },
  prices: { input: 1, output: 10 },
  webFetch: { privateAddresses: true },
};
const loud = { ...definition, instructions: "Write loud reports." };

const site = own(() =>
  httpServer((_, response) => response.writeHead(200, { "content-type": "text/plain" }).end("A page.")),
);

/**
 * Lists, writes and answers. Loud instructions change what is written and said; "quiet" turns are not changed; one
 * turn then reads a page that the record does not have.
 */
const service = ownOrganization({
  script: (input, step, instructions) => {
    if (instructions.startsWith("Prefer")) {
      const better = /ANSWER A \w+\nThe report says: <IMG/.test(input) ? "A" : "B";
      return { text: JSON.stringify({ reason: `${better} is loud. ${hostile}`, better }) };
    }
    const isLoud = instructions.includes("loud") && !input.startsWith("quiet");
    const text = isLoud ? input.toUpperCase() : input;
    const until = instructions.includes("loud") ? gate : Promise.resolve();
    if (step === 1) return { calls: [{ name: "list_files", arguments: {} }], until };
    if (step === 2)
      return { calls: [{ name: "write_file", arguments: { name: `${text.slice(-3)}.md`, content: text } }] };
    if (step === 3 && input.startsWith("page")) {
      return { calls: [{ name: "web_fetch", arguments: { url: `${site.url}/${isLoud ? "other" : "page"}` } }] };
    }
    return { text: `The report says: ${text} ${hostile}` };
  },
});

beforeAll(async () => {
  const { organization_id } = await service.call("GET", `/agents/${service.templateId}`);
  ({ id: agentId } = await service.call("POST", "/agents", { organization_id, definition }));
  for (const input_text of ["quiet one", `${hostile} two`, "page three"]) {
    const { id } = await service.call("POST", "/runs", { agent_id: agentId, name: input_text, input_text });
    await reachEnd(() => service.call("GET", `/runs/${id}`));
  }
  const request = { definition: loud, last: 10, control: 2, budget: { dollars: 1 }, concurrency: 4, assertions: [] };
  ({ id: trialId } = await service.call("POST", `/agents/${agentId}/trials`, request));
  await service.call("POST", `/trials/${trialId}/start`);
  await reachEnd(() => service.call("GET", `/trials/${trialId}`));
}, 120_000);

const demo = ownOrganization();

async function reachEnd(read: () => Promise<{ status: string }>): Promise<void> {
  while ((await read()).status !== "finished") await new Promise((resolve) => setTimeout(resolve, 20));
}

const heading = (page: Page, name: RegExp | string) => page.getByRole("heading", { level: 1, name });

/** What the page did wrong, and whether a script of a model ran. */
async function judged({ page, misdeeds }: ConsolePage): Promise<object> {
  const pwned: unknown = await page.evaluate(() => Reflect.get(window, "pwned"));
  return { ...misdeeds, pwned, images: await page.locator("#app img").count() };
}

const innocent = { ...noMisdeeds, pwned: undefined, images: 0 };

async function openDialog(page: Page): Promise<void> {
  await page.getByLabel("Instructions", { exact: true }).fill("Write loud reports.");
  await page.getByRole("button", { name: "Try on recent runs…" }).click();
  await page.getByRole("dialog", { name: "Try on recent runs" }).waitFor();
}

describe("from a changed instruction to the case", () => {
  test.each([1280, 390])("a draft is estimated, started, watched and read at %d px", async (width) => {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    gate = promise;
    const view = await service.open(`agents/${agentId}?tab=edit`, { viewport: { width, height: 900 } });
    const { page } = view;
    await openDialog(page);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Recent turns").fill("3");
    await dialog.getByLabel("Control").fill("1");
    await dialog.getByRole("button", { name: "Estimate" }).click();
    await dialog.getByText("3 cases").waitFor();
    expect(await dialog.innerText()).toMatch(/~\$0\.\d+ to \$0\.\d+, budget \$2\.00/);
    await dialog.getByText("3 inputs and 0 files for the model, as the recorded turns.").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await dialog.getByRole("button", { name: "Start trial" }).click();
    await heading(page, "Trial of a draft against version 1").waitFor();
    await page.getByText("Running", { exact: true }).first().waitFor();
    expect(await page.getByRole("button", { name: "Delete…" }).isDisabled()).toBe(true);
    open();
    await page.locator(".page-head").getByText("Finished").waitFor(); // without a reload
    await page.getByText("3 tried · 1 same · 1 different · 1 left the record").waitFor();
    await page.getByText("Current against itself: 0 of 1 differ.").waitFor();
    const rows = page.locator(".cases tbody tr");
    await expect
      .poll(async () => (await rows.allInnerTexts()).map((text) => text.split("\n")[0]?.trim()))
      .toEqual(["Left the record", "Different", "Same"]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await page.getByRole("link", { name: "page three" }).click();
    await heading(page, "page three").waitFor();
    await page.getByText("In step 3, the turn called web_fetch").waitFor();
    await page.getByText("write_file with another name, content. The call before it is equal.").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    expect(await judged(view)).toEqual(innocent);
    await page.goBack();
    await page.goBack();
    await page.getByRole("region", { name: "Changes" }).waitFor();
    expect(await page.getByLabel("Instructions", { exact: true }).inputValue()).toBe("Write loud reports."); // what was tried
  });
});

test("a trial that was only estimated leaves nothing", async () => {
  const before = await trialsOf();
  const { page } = await service.open(`agents/${agentId}?tab=edit`);
  await openDialog(page);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("dialog").getByText("3 cases").waitFor();
  expect(await trialsOf()).toHaveLength(before.length + 1);
  await page.getByLabel("Recent turns").fill("2");
  await page.getByRole("button", { name: "Estimate" }).click();
  await page.getByRole("dialog").getByText("2 cases").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(trialsOf).toEqual(before);
});

test("a judge is chosen, and its votes are read with the case", async () => {
  const { organization_id } = await service.call("GET", `/agents/${agentId}`);
  const judge = { ...definition, name: `Judge ${hostile}`, instructions: "Prefer loud reports." };
  const { id } = await service.call("POST", "/agents", { organization_id, definition: judge });
  const view = await service.open(`agents/${agentId}?tab=edit`);
  const { page } = view;
  await openDialog(page);
  const dialog = page.getByRole("dialog");
  const choice = dialog.getByLabel("Judge");
  await choice.locator("option", { hasText: "Judge <img" }).waitFor({ state: "attached" });
  await choice.selectOption(id);
  await dialog.getByRole("button", { name: "Estimate" }).click();
  await dialog.getByText("3 inputs with both outputs for the judge, as the recorded turns.").waitFor();
  await dialog.getByRole("button", { name: "Start trial" }).click();
  await page.getByText("3 tried · 1 same · 1 better · 1 left the record").waitFor();
  await page.getByText("by the judge").waitFor();
  await page.getByText(/^Outputs that differ are judged by/).waitFor();
  await page.locator(".cases tbody tr").filter({ hasText: "Better" }).getByRole("link").first().click();
  const votes = page.getByRole("region", { name: "Judge" });
  await votes.getByText("with the recorded output as A").waitFor();
  expect(await votes.getByText("The tried output is better").count()).toBe(2);
  expect(await page.getByRole("button", { name: "Better", pressed: true }).count()).toBe(0); // no person's verdict
  expect(await judged(view)).toEqual(innocent);
  expect(await violations(page, "light")).toEqual([]);
});

test.each([1280, 390])("assertions are typed, and a case that breaks one says which, at %d px", async (width) => {
  const view = await service.open(`agents/${agentId}?tab=edit`, { viewport: { width, height: 900 } });
  const { page } = view;
  await openDialog(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Recent turns").fill("3");
  const add = dialog.getByRole("button", { name: "Add an assertion" });
  await add.click();
  await dialog.getByLabel("Pattern (RE2) of assertion 1").fill("report");
  await add.click();
  await dialog.getByLabel("Kind of assertion 2").selectOption("tool_called");
  await dialog.getByRole("button", { name: "Estimate" }).click();
  await dialog.getByText("Assertion 2: enter the name of the tool.").waitFor();
  await dialog.getByRole("button", { name: "Remove assertion 2" }).click();
  await add.click();
  await dialog.getByLabel("Kind of assertion 2").selectOption("file_exists");
  await dialog.getByLabel("File of assertion 2").fill("one.md");
  expect(await violations(page, "light")).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  await dialog.getByRole("button", { name: "Estimate" }).click();
  await dialog.getByText("3 cases").waitFor();
  await dialog.getByRole("button", { name: "Start trial" }).click();
  await page.locator(".page-head").getByText("Finished").waitFor();
  await page.locator(".cases tbody tr").filter({ hasText: "Broke an assertion" }).getByRole("link").first().click();
  await page.getByText(/^Broken assertion 2: .*one\.md/).waitFor();
  expect(await judged(view)).toEqual(innocent);
});

async function trialsOf(): Promise<string[]> {
  const { data } = await service.call<{ data: { id: string }[] }>("GET", `/agents/${agentId}/trials`);
  return data.map(({ id }) => id);
}

test("cases are kept as a suite, redacted, and a draft is tried on it", async () => {
  const request = { definition, last: 3, control: 0, budget: { dollars: 1 } };
  const { id } = await service.call("POST", `/agents/${agentId}/trials`, request);
  await service.call("POST", `/trials/${id}/start`);
  await reachEnd(() => service.call("GET", `/trials/${id}`));
  const view = await service.open(`trials/${id}`);
  const { page } = view;
  await page.getByRole("button", { name: "Keep 3 cases as a suite…" }).click();
  const dialog = page.getByRole("dialog", { name: "Keep 3 cases as a suite" });
  await dialog.getByLabel("Name").fill("two words");
  await dialog.getByLabel("Redact").fill("gpj.exe\n\n");
  await dialog.getByRole("button", { name: "Keep", exact: true }).click();
  await dialog.getByText("Enter up to 64 letters").waitFor();
  await dialog.getByLabel("Name").fill("reports");
  await dialog.getByRole("button", { name: "Keep", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("The suite reports has 3 cases of this trial.").waitFor();
  const { data } = await service.call<{ data: { input: string; redacted: number }[] }>(
    "GET",
    `/agents/${agentId}/suites/reports`,
  );
  expect(data).toHaveLength(3);
  expect(data.map(({ input }) => input).join(" ")).not.toContain("gpj.exe");
  expect(Math.min(...data.map(({ redacted }) => redacted))).toBeGreaterThan(0);
  await view.goto(`agents/${agentId}?tab=edit`);
  await openDialog(page);
  await page.getByLabel("Cases").selectOption("Suite reports");
  expect(await page.getByLabel("Recent turns").isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Estimate" }).click();
  await page.getByRole("dialog").getByText("3 cases").waitFor();
  await page.getByRole("button", { name: "Start trial" }).click();
  await page.getByText("Cases of the suite reports.").waitFor();
  await page.locator(".page-head").getByText("Finished").waitFor();
  expect(await judged(view)).toEqual(innocent);
});

test("without a key, sample runs of the demo model show what a draft changes", async () => {
  const view = await demo.open(`agents/${demo.templateId}?tab=trials`);
  const { page } = view;
  await page.getByRole("button", { name: "Record sample runs" }).click();
  await page.getByText("4 sample runs have started.").waitFor();
  const ended = async (): Promise<string[]> => {
    const { data } = await demo.call<{ data: { status: string }[] }>("GET", "/runs");
    return data.map(({ status }) => status);
  };
  await expect.poll(ended).toEqual(Array.from({ length: 4 }, () => "finished"));
  const instructions = page.getByLabel("Instructions", { exact: true });
  await instructions.fill(`${await instructions.inputValue()}\ndemo: files=1`);
  await page.getByRole("button", { name: "Try on recent runs…" }).click();
  const dialog = page.getByRole("dialog", { name: "Try on recent runs" });
  await dialog.getByRole("button", { name: "Estimate" }).click();
  await dialog.getByText("4 cases").waitFor();
  await dialog.getByRole("button", { name: "Start trial" }).click();
  await page.getByText("4 tried · 2 same · 2 different · current against itself: 0 of 4 differ").waitFor();
});

test("a setting that cannot be used is named, and calls nothing", async () => {
  const { page } = await service.open(`agents/${agentId}?tab=edit`);
  await openDialog(page);
  await page.getByLabel("Recent turns").fill("many");
  await page.getByRole("button", { name: "Estimate" }).click();
  await page.getByText("Recent turns: enter a whole number from 1 to 500.").waitFor();
  await page.getByLabel("Recent turns").fill("3");
  await page.getByLabel("Budget in dollars").fill("0");
  await page.getByRole("button", { name: "Estimate" }).click();
  await page.getByText("Budget: enter dollars above 0.").waitFor();
});

test("a shortcut works as soon as what it acts on is shown", async () => {
  const view = await service.open("trials");
  const { page } = view;
  await page.evaluate(() => {
    const observer = new MutationObserver(() => {
      if (document.querySelectorAll(".cases tbody tr").length < 3) return;
      observer.disconnect();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "3", bubbles: true, cancelable: true }));
    });
    observer.observe(document, { childList: true, subtree: true });
  });
  await view.goto(`trials/${trialId}`);
  await expect.poll(() => page.locator(".cases tbody tr").count()).toBe(1); // 3: the cases that are different
});

test("cases are filtered, opened and judged with the keyboard", async () => {
  const view = await service.open(`trials/${trialId}`);
  const { page } = view;
  const { keyboard } = page;
  const rows = page.locator(".cases tbody tr");
  await expect.poll(() => rows.count()).toBe(3);
  await keyboard.press("3"); // All, Left the record, Different
  await expect.poll(() => rows.count()).toBe(1);
  await keyboard.press("j");
  await keyboard.press("Enter");
  await heading(page, /two$/).waitFor();
  const open = page.locator("button.pair[aria-expanded=true]");
  await expect.poll(() => open.getAttribute("data-pair")).toBe("1"); // the first difference
  await keyboard.press("[");
  expect(await open.getAttribute("data-pair")).toBe("1"); // there is none before it
  await keyboard.press("v");
  await keyboard.press("b");
  await page.getByRole("button", { name: "Better", pressed: true }).waitFor();
  await page.getByText(/^by /).first().waitFor();
  await page.getByRole("button", { name: "Remove verdict" }).click();
  await page.locator(".page-head").getByText("Different").waitFor();
  expect(await judged(view)).toEqual(innocent);
});

test("the bracket keys go from difference to difference", async () => {
  const { page } = await service.open(`trials/${trialId}`);
  await page.getByRole("link", { name: "page three" }).click();
  const open = page.locator("button.pair[aria-expanded=true]");
  await expect.poll(() => open.getAttribute("data-pair")).toBe("1");
  await page.keyboard.press("]");
  await expect.poll(() => open.getAttribute("data-pair")).toBe("2");
  await expect.poll(() => page.locator(":focus").getAttribute("data-pair")).toBe("2");
  await page.keyboard.press("[");
  await expect.poll(() => open.getAttribute("data-pair")).toBe("1");
});

test("outputs are compared by words and by lines, and files that differ are named", async () => {
  const view = await service.open(`trials/${trialId}`);
  const { page } = view;
  await page.getByRole("link", { name: /two$/ }).click();
  const output = page.getByRole("region", { name: "Output" });
  await expect.poll(async () => (await output.locator("del").allInnerTexts()).join(" ")).toMatch(/\btwo\b/);
  expect((await output.locator("ins").allInnerTexts()).join(" ")).toMatch(/\bTWO\b/);
  await output.getByRole("button", { name: "Lines" }).click();
  await output.getByText(/^- The report says: .*two/).waitFor();
  expect(await page.locator(".case-columns .file-changes li").count()).toBe(2); // one added, one removed
  await page.getByRole("link", { name: "Recorded run" }).waitFor();
  expect(await judged(view)).toEqual(innocent);
});

test("the run of an attempt is read as every run", async () => {
  const view = await service.open(`trials/${trialId}?case=1`);
  await view.page.getByRole("link", { name: "Run of the attempt" }).click();
  await view.page.getByText("list_files").first().waitFor();
});

test("the agent lists its trials, and a deleted one is gone", async () => {
  const { id } = await service.call("POST", `/agents/${agentId}/trials`, {
    version: 1,
    last: 2,
    budget: { tokens: 9_000 },
  });
  const view = await service.open(`agents/${agentId}?tab=trials`);
  const { page } = view;
  await page.getByRole("link", { name: "Trial of version 1 against version 1" }).click();
  await heading(page, "Trial of version 1 against version 1").waitFor();
  await page.getByText("~").first().waitFor(); // the estimate
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/tab=trials/);
  await expect.poll(trialsOf).not.toContain(id);
  await view.goto(`trials/${id}`);
  await heading(page, "This trial does not exist").waitFor();
});

test.each(["light", "dark"] as const)("no view of a trial has a violation in %s", async (colorScheme) => {
  for (const width of [1440, 390]) {
    const view = await service.open(`trials/${trialId}`, { colorScheme, viewport: { width, height: 900 } });
    const { page } = view;
    await page.getByText("Left the record").first().waitFor();
    expect(await violations(page, colorScheme)).toEqual([]);
    for (const number of [1, 2, 3]) {
      await view.goto(`trials/${trialId}?case=${number}`);
      await page.getByRole("heading", { name: "Tool calls" }).waitFor();
      expect(await violations(page, colorScheme)).toEqual([]);
    }
    await view.goto(`agents/${agentId}?tab=trials`);
    await page.getByText("Trial of a draft").first().waitFor();
    await page.getByRole("heading", { level: 1 }).waitFor(); // the agent can be read after its trials
    expect(await violations(page, colorScheme)).toEqual([]);
    await view.goto(`agents/${agentId}?tab=edit`);
    await openDialog(page);
    await page.getByRole("button", { name: "Estimate" }).click();
    await page.getByText("Start trial").waitFor();
    expect(await violations(page, colorScheme)).toEqual([]);
  }
});

test("a draft is saved with the trial that tried it", async () => {
  const view = await service.open(`trials/${trialId}`);
  const { page } = view;
  await page.getByRole("button", { name: "Save with this trial" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The draft becomes the agent's next version, which keeps this trial.").waitFor();
  await dialog.getByRole("button", { name: "Save as version 2" }).click();
  await page.waitForURL(/tab=versions/);
  expect(await service.call("GET", `/agents/${agentId}/versions/2`)).toMatchObject({ trial_id: trialId });
  await view.goto(`trials/${trialId}`);
  await page.getByRole("button", { name: "Save with this trial" }).click();
  await dialog.getByText("The agent has changed since the trial: it was version 1 and is version 2.").waitFor();
});
