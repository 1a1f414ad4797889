import { beforeAll, expect, test } from "vitest";
import { createRun, finished } from "../integration/service.ts";
import { ownOrganization } from "./own-service.ts";
import { violations } from "./violations.ts";

// Any two runs are compared side by side.

const hostile = "<img src=x onerror=alert(1)>";

let [left, right] = ["", ""];

const service = ownOrganization({
  script: (text, step) => {
    const [asked = ""] = text.split("\n"); // without the note on the files of earlier turns
    if (step === 1) return { calls: [{ name: "list_files", arguments: {} }] };
    if (step === 2) return { calls: [{ name: "write_file", arguments: { name: "a.txt", content: asked } }] };
    return { text: `Wrote ${asked} ${hostile}` };
  },
});

beforeAll(async () => {
  left = await createRun(service, { name: `First ${hostile}`, input_text: "apples" });
  right = await service.endedRun({ name: "Second", input_text: "pears" });
  await finished(service, right);
  await service.call("POST", `/runs/${right}/input`, { input_text: "apples" });
  await finished(service, right);
});

test("a run is compared with another one from its page, turn by turn", async () => {
  const { page } = await service.open(`runs/${left}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Compare with…" }).click();
  await page.getByRole("heading", { level: 1, name: "Compare two runs" }).waitFor();
  const field = page.getByRole("textbox", { name: "Run to compare with" });
  await field.fill("nothing");
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByText("This has no ID of a run.").waitFor();
  await page.getByRole("button", { name: /^Second/ }).click();
  await page.getByRole("link", { name: "Second" }).waitFor();
  await page.getByText("all are equal").waitFor(); // of the last turns
  await page.getByLabel("Right run").getByRole("combobox").selectOption("1");
  await page.getByText("First difference", { exact: true }).waitFor();
  await page.getByText("write_file with another content.").waitFor();
  expect(await page.getByLabel("Output").locator("ins").innerText()).toBe("pears");
  expect(await page.getByLabel("Input").locator("del").innerText()).toBe("apples");
  await page.getByRole("button", { name: "Swap" }).click();
  await page.getByLabel("Left run").getByRole("link", { name: "Second" }).waitFor();
  expect(await page.getByLabel("Left run").getByRole("combobox").inputValue()).toBe("1");
  await page.goBack();
  await page.getByRole("textbox", { name: "Run to compare with" }).waitFor();
});

test("a run that does not exist is named, and another one can be chosen", async () => {
  const unknown = "00000000-0000-4000-8000-000000000009";
  const { page } = await service.open(`trials/compare?left=${left}&right=${unknown}`);
  await page.getByText(`run "${unknown}" does not exist`).waitFor();
  await page.getByRole("textbox", { name: "Run to compare with" }).fill(`${service.consoleUrl}/runs/${right}?at=1`);
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByRole("link", { name: "Second" }).waitFor();
});

test.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 390],
] as const)("the page has no violation and fits, %s at %d px", async (colorScheme, width) => {
  const path = `trials/compare?left=${left}&right=${right}&right_turn=1`;
  const { page } = await service.open(path, { colorScheme, viewport: { width, height: 844 } });
  await page.getByText("First difference", { exact: true }).waitFor();
  expect(await violations(page, colorScheme)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
});
