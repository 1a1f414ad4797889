import { beforeAll, expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";
import { violations } from "./violations.ts";

// A run is continued from one of its steps with a change.

let source: string;
const input = "Count <img src=x onerror=alert(1)>";

const service = ownOrganization({
  script: (asked, step) =>
    step === 1
      ? { calls: [{ name: "write_file", arguments: { name: "a.txt", content: asked } }] }
      : { text: `Answer to ${asked}` },
});

beforeAll(async () => {
  source = await service.endedRun({ name: "Source", input_text: input });
});

const open = (at: string, more: object = {}) => service.open(`runs/${source}?at=${at}`, { ...more });

interface ModelRequest {
  instructions: string;
  messages: object[];
  tools: { name: string }[];
}

/** What the model was sent in a step of the run that a page shows. */
function requestOf(url: string, at: string): Promise<ModelRequest> {
  const [id = ""] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(url) ?? [];
  return service.call<ModelRequest>("GET", `/runs/${id}/request?at=${at}`);
}

test("a run is forked from a step with another result, and the fork names its origin", async () => {
  const { page } = await open("1.2");
  await page.getByRole("button", { name: "Fork from this step…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("A new run with the record up to step 1 and the files as they were then.").waitFor();
  await dialog.getByText("Its tools reach only the files of the fork.").waitFor();
  await dialog.getByRole("button", { name: "Result of write_file" }).click();
  const result = dialog.getByRole("textbox", { name: "Result of write_file" });
  expect(await result.inputValue()).toMatch(/^Wrote a\.txt/);
  await result.fill("The disk is full.");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Full disk");
  const forking = dialog.getByRole("button", { name: /^Fork and open/ });
  expect(await forking.isDisabled()).toBe(true);
  await dialog.getByRole("checkbox").check();
  await forking.click();
  await page.getByRole("heading", { level: 1, name: "Full disk" }).waitFor();
  await page.getByText(/^Forked from/).waitFor();
  const { messages } = await requestOf(page.url(), "1.2");
  expect(JSON.stringify(messages)).toContain("The disk is full.");
  await page.getByRole("link", { name: `…${source.slice(-8)}`, exact: true }).waitFor();
  await page.getByRole("link", { name: `fork of …${source.slice(-8)}, step 1.1` }).click();
  await page.getByRole("heading", { level: 1, name: "Source" }).waitFor();
  expect(page.url()).toContain("at=1.1");
});

test("at the first step, the input can be replaced, and instructions and tools anywhere", async () => {
  const { page } = await open("1.1");
  await page.getByRole("button", { name: "Fork from this step…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Input of the turn" }).click();
  const field = dialog.getByRole("textbox", { name: "Input of the turn" });
  expect(await field.inputValue()).toBe(input);
  await field.fill("Count again.");
  await dialog.getByRole("button", { name: "Instructions" }).click();
  await dialog.getByRole("textbox", { name: "Instructions" }).fill("Be brief.");
  await dialog.getByRole("button", { name: "Tools" }).click();
  await dialog.getByRole("checkbox", { name: "web_fetch" }).check();
  await dialog.getByText("Tools that reach other systems will really be called: web_fetch").waitFor();
  await dialog.getByRole("checkbox", { name: /^Call the model/ }).check();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { level: 1, name: "Fork of Source" }).waitFor();
  await page.getByText("Answer to Count again.").first().waitFor();
  const { instructions, tools } = await requestOf(page.url(), "1.1");
  expect(instructions).toContain("Be brief.");
  expect(tools.map(({ name }) => name)).toContain("web_fetch");
});

test("a refused fork keeps what was changed and says why", async () => {
  const { page } = await open("1.2");
  await page.getByRole("button", { name: "Fork from this step…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Instructions" }).click();
  await dialog.getByRole("textbox", { name: "Instructions" }).fill("");
  await dialog.getByRole("checkbox").check();
  await page.keyboard.press("Control+Enter");
  await dialog.getByRole("alert").waitFor();
  expect(await dialog.getByRole("button", { name: "Instructions" }).getAttribute("aria-pressed")).toBe("true");
});

test.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 390],
] as const)("the dialog has no violation and fits, %s at %d px", async (colorScheme, width) => {
  const { page } = await open("1.2", { colorScheme, viewport: { width, height: 844 } });
  await page.getByRole("button", { name: "Fork from this step…" }).click();
  const dialog = page.getByRole("dialog");
  for (const name of ["Instructions", "Tools", "Result of write_file"])
    await dialog.getByRole("button", { name }).click();
  expect(await violations(page, colorScheme)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
});
