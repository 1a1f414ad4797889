import { readFileSync } from "node:fs";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";
import { violations } from "./violations.ts";

const write = (name: string, content: string) => ({ name: "write_file", arguments: { name, content } });

const steps = [
  [write("reports/2026/q3.csv", "a,b\n"), write("reports/old.csv", "old\n"), write("notes.txt", "note\n")],
  [{ name: "delete_file", arguments: { name: "reports/old.csv" } }, write("reports/2026/q4.csv", "c,d\n")],
];

let page: Page;

const service = ownOrganization({ script: (_, step) => ({ text: "Working.", calls: steps[step - 1] ?? [] }) });

beforeAll(async () => {
  const run = await service.endedRun({ name: "Folders", input_text: "go" });
  ({ page } = await service.open(`runs/${run}?tab=files`));
});

test("shows files by folders, with what changed, and which step deleted a file", async () => {
  const folder = page.getByRole("group", { name: "reports", exact: true });
  await folder.getByRole("group", { name: "reports/2026" }).getByRole("button", { name: "q4.csv A" }).waitFor();
  await folder.getByRole("button", { name: "old.csv D" }).click();
  await page.getByText("Deleted by").waitFor();
  await page.getByText("3 files").waitFor();
  await page.getByText("1 deleted").waitFor();
  const link = page.getByRole("button", { name: /step 2, delete_file/ });
  await link.waitFor();
  await page.getByText("old", { exact: true }).waitFor(); // its content before
});

test("closes and opens folders with the keyboard", async () => {
  const toggle = page.getByRole("button", { name: /^2026 2/ });
  await toggle.focus();
  await page.keyboard.press("Enter");
  expect(await toggle.getAttribute("aria-expanded")).toBe("false");
  expect(await page.getByRole("group", { name: "reports/2026" }).count()).toBe(0);
  await page.keyboard.press("Space");
  expect(await toggle.getAttribute("aria-expanded")).toBe("true");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Download reports/2026/q3.csv" }).waitFor();
});

test("downloads a file under its own name, and all files with their folders", async () => {
  const one = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download reports/2026/q3.csv" }).click();
  expect((await one).suggestedFilename()).toBe("q3.csv");
  const all = page.waitForEvent("download");
  await page.getByRole("button", { name: "All files" }).click();
  const archive = unzipSync(readFileSync(await (await all).path()));
  const texts = Object.entries(archive).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]);
  expect(texts).toEqual([
    ["notes.txt", "note\n"],
    ["reports/2026/q3.csv", "a,b\n"],
    ["reports/2026/q4.csv", "c,d\n"],
  ]);
});

test("has no accessibility violations", async () => {
  expect(await violations(page, "light")).toEqual([]);
});
