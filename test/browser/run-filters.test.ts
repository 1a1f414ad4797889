import { beforeAll, expect, test } from "vitest";
import { createRun, finished } from "../integration/service.ts";
import { ownOrganization } from "./own-service.ts";

// Filters of the list of runs by what they used, their counts, and the order.

const service = ownOrganization({
  script: (input, step) => {
    if (input === "100" && step === 1)
      return { calls: [{ name: "list_files", arguments: {} }], tokens: { input: 10, output: 0 } };
    if (input === "fail") return { status: 400, text: "This field is not supported." };
    return { text: "Done.", tokens: { input: Number(input) * 1_000, output: 10 } };
  },
});

beforeAll(async () => {
  const { organization_id } = await service.call("GET", `/agents/${service.templateId}`);
  const definition = { name: "Priced", instructions: "Work.", model: "large-1", prices: { input: 10, output: 10 } };
  const { id } = await service.call("POST", "/agents", { organization_id, definition });
  const { key } = await service.call("POST", `/agents/${id}/keys`, { name: "k" });
  const priced = { ...service, apiKey: key, templateId: id };
  for (const input of ["20", "3", "100"])
    await finished(priced, await createRun(priced, { name: `P${input}`, input_text: input }));
  for (const input of ["50", "fail"]) await service.endedRun({ name: `U${input}`, input_text: input });
});

test("runs are filtered by model, cost and error, with counts that follow the other filters, and their totals", async () => {
  const { page } = await service.open("runs");
  const names = () => page.locator("tbody tr[data-row] td.run a").allInnerTexts();
  await expect.poll(names).toEqual(["Ufail", "U50", "P100", "P3", "P20"]);
  expect(await page.locator(".run-totals").count()).toBe(0);

  await page.getByRole("button", { name: "Model Any" }).click();
  const menu = page.locator(".menu:popover-open");
  await expect.poll(() => menu.locator("button, label").allInnerTexts()).toEqual(["Any", "large-1\n3", "m\n1"]);
  await menu.getByLabel("large-1").check();
  await expect.poll(names).toEqual(["P100", "P3", "P20"]);
  await menu.getByLabel("m").check(); // the menu stays open: one of both models
  await page.getByRole("button", { name: "Model large-1 +1" }).waitFor();
  await expect.poll(names).toEqual(["U50", "P100", "P3", "P20"]);
  await menu.getByLabel("m").uncheck();
  await expect.poll(names).toEqual(["P100", "P3", "P20"]);
  await page.keyboard.press("Escape");
  await page.getByText("123,040").waitFor();
  expect(await page.locator(".run-totals").innerText()).toMatch(/^3 runs\s+\$1\.230\s+123,040 tokens\s+median /);

  await page.getByRole("button", { name: "Cost Any" }).click();
  await page.locator(".menu:popover-open").getByRole("button", { name: "from $0.05" }).click();
  await expect.poll(names).toEqual(["P100", "P20"]);
  expect(new URL(page.url()).search).toBe("?model=large-1&cost=0.05");
  await page.getByRole("link", { name: "Clear 2 filters" }).click();
  await expect.poll(names).toHaveLength(5);

  await page.getByRole("button", { name: "Tool Any" }).click();
  await menu.getByLabel("list_files").check();
  await page.keyboard.press("Escape");
  await expect.poll(names).toEqual(["P100"]);
  await page.getByRole("link", { name: "Clear 1 filter" }).click();
  await expect.poll(names).toHaveLength(5);

  await page.getByRole("button", { name: "Error Any" }).click();
  await menu.getByLabel("model_refused").check();
  await expect.poll(names).toEqual(["Ufail"]);
  await page.reload();
  await expect.poll(names).toEqual(["Ufail"]);
  await page.getByRole("link", { name: "Clear 1 filter" }).click();
  await expect.poll(names).toHaveLength(5);

  await page.getByRole("button", { name: "Started by Any" }).click();
  await expect
    .poll(() => menu.locator("label").allInnerTexts())
    .toEqual(["key k\n3", expect.stringMatching(/^key .+\n2$/)]);
  await menu.getByLabel("key k").check();
  await expect.poll(names).toEqual(["P100", "P3", "P20"]);
  await page.reload();
  await expect.poll(names).toEqual(["P100", "P3", "P20"]);
});

test("runs are sorted by a click on a column and by the key S, unknown costs last", async () => {
  const { page } = await service.open("runs");
  const names = () => page.locator("tbody tr[data-row] td.run a").allInnerTexts();
  await page.getByRole("button", { name: "Cost", exact: true }).click();
  // The failed run cost nothing. What the last one cost is not known.
  await expect.poll(names).toEqual(["P100", "P20", "P3", "Ufail", "U50"]);
  expect(await page.getByRole("columnheader", { name: "Cost ↓" }).getAttribute("aria-sort")).toBe("descending");
  await page.keyboard.press("Escape");
  await page.locator("h1").click();
  await page.keyboard.press("s"); // duration
  await page.getByRole("columnheader", { name: "Duration ↓" }).waitFor();
  await page.keyboard.press("s"); // started
  await expect.poll(names).toEqual(["Ufail", "U50", "P100", "P3", "P20"]);
  await page.keyboard.press("s"); // steps
  await page.keyboard.press("s"); // tokens
  await expect.poll(names).toEqual(["P100", "U50", "P20", "P3", "Ufail"]);
});

test.each([1280, 1366, 1440, 390])("the filters push nothing off the page at %d px", async (width) => {
  const path = "runs?model=large-1&tool=list_files&cost=0.01&duration=10&label=a=b&category=limit&sort=tokens";
  const view = await service.open(path, { viewport: { width, height: 800 } });
  await view.page.getByText("No run matches").waitFor();
  expect(await view.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
});
