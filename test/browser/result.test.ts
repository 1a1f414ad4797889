import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { ConsolePage } from "./console-page.ts";
import { ownOrganization } from "./own-service.ts";

// What the page shows of results that fit a schema or not, and how an agent gets a schema.

const schema = {
  type: "object",
  properties: {
    currency: { enum: ["EUR", "USD"] },
    total: { type: "number" },
    id: { type: "integer" },
    open: { type: "array", items: { type: "string" } },
    invoices: { type: "array", items: { type: "object" } },
  },
  required: ["currency", "total"],
};
const invoices = Array.from({ length: 12 }, (_, index) => ({
  number: `INV-${20_931 + index}`,
  supplier: index === 1 ? "<img src=x onerror=alert(1)>" : `Supplier ${index}`,
  vat_id: index === 2 ? null : `DE81190798${index}`,
  total: 1_190.5 + index,
}));
const result = JSON.stringify({ currency: "EUR", total: 48_211.07, id: "DIGITS", open: ["INV-20944"], invoices });
/** As the model writes it: an integer that JavaScript rounds. */
const fitting = result.replace('"DIGITS"', "12345678901234567890");
const almost = '{"currency": "GBP", "total": "48,211.07"}';
const wrong = '{"currency": "GBP", "total": "wrong"}';

const service = ownOrganization({
  script: (input, step) => {
    // The message that asks for a correction is an input, too: it has what was received.
    if (input.includes("wrong")) return { text: wrong };
    return { text: input === "corrected" && step === 1 ? almost : fitting };
  },
});

beforeAll(async () => {
  const definition = { name: "Invoice reader", instructions: "Read.", tools: [], result: { schema } };
  await service.call("PUT", `/agents/${service.templateId}`, { definition });
});

/** A page with a new run of this input. */
async function open(input: string, query = ""): Promise<ConsolePage> {
  return service.open(`runs/${await checkedRun(input)}${query}`);
}

/** A new run of this input whose results were checked: on a busy machine, a check can take more than its 5 s. */
async function checkedRun(input: string): Promise<string> {
  const run = await service.endedRun({ name: `Run ${input}`, input_text: input });
  const events = await service.call<object>("GET", `/runs/${run}/events`);
  return JSON.stringify(events).includes("one that could not be: ") ? checkedRun(input) : run;
}

const inspector = (page: Page) => page.getByRole("complementary", { name: "Inspector" });

test("a result is a tree of its values and a table of its objects, with all digits", async () => {
  const { page } = await open("go");
  const panel = inspector(page);
  await panel.getByRole("tab", { name: "Result fits", selected: true }).waitFor();
  await panel.getByText("fits the schema").waitFor();
  const tree = panel.locator(".result-tree");
  expect(await tree.innerText()).toContain("id 12345678901234567890");
  expect(await tree.innerText()).toContain("array of objects, 12, as a table below");
  const rows = panel.getByRole("table").getByRole("row");
  expect(await rows.count()).toBe(6);
  expect(await rows.nth(2).innerText()).toContain("<img src=x onerror=alert(1)>");
  await panel.getByRole("button", { name: "Show all 12" }).click();
  await expect.poll(() => rows.count()).toBe(13);
  await panel.getByRole("button", { name: "Tree" }).click();
  await panel.getByText('"INV-20942"').waitFor();
  await panel.getByRole("button", { name: "JSON" }).click();
  await panel.getByText('"id": 12345678901234567890,').waitFor();
});

test("a step in the address opens its call, and the first key the result", async () => {
  const { page } = await open("go", "?at=1.1");
  await inspector(page).getByRole("tab", { name: "Call", selected: true }).waitFor();
  await inspector(page).getByRole("tab", { name: "Result", selected: false }).waitFor();
  await page.keyboard.press("1");
  await inspector(page).getByRole("tab", { name: "Result", selected: true }).waitFor();
});

test("a result that did not fit at first is named in the timeline and below the result", async () => {
  const { page } = await open("corrected");
  await page.getByRole("region", { name: "Steps" }).getByText("The result did not fit: 2 problems").waitFor();
  const panel = inspector(page);
  await panel.getByText("fits the schema").waitFor();
  await panel.locator(".result-problem").getByText('"48,211.07"').waitFor();
  await panel.getByRole("button", { name: "step 1" }).click();
  await page.waitForURL(/at=1\.1/);
});

test("a result that does not fit has its problems, and what the model wrote", async () => {
  const { page } = await open("wrong");
  const panel = inspector(page);
  await panel.getByRole("tab", { name: "Result does not fit", selected: true }).waitFor();
  await panel.locator(".result-problem").first().waitFor();
  await expect.poll(() => panel.getByText(/^\/currency: expected one of "EUR", "USD"/).count()).toBeGreaterThan(0);
  expect(await panel.locator(".code").innerText()).toContain(wrong);
  await expect.poll(() => page.getByText("The result did not fit: 2 problems").count()).toBe(2);
});

test("the schema of an agent is written in its form, keeps its order, and says what is wrong with it", async () => {
  const { page } = await service.open(`agents/${service.templateId}?tab=edit`);
  const field = page.getByLabel("JSON Schema", { exact: true });
  await expect.poll(() => field.inputValue()).toContain('"currency": { "enum": ["EUR", "USD"] }');
  const typed = '{"type": "object",\n "properties": {"b": {"type": "string"}, "a": {"type": "text"}}';
  await field.fill(typed);
  await page.getByText(/^Not valid JSON/).waitFor();
  expect(await field.inputValue()).toBe(typed);
  await field.fill(`${typed}}`);
  await page.getByRole("button", { name: /^Save as version/ }).click();
  await page.getByText(/^result\.schema: \/properties\/a\/type/).waitFor();
  await field.fill(`${typed.replace("text", "number")}}`);
  await page.getByRole("button", { name: /^Save as version/ }).click();
  await page.getByText(/^Saved version/).waitFor();
  await page.reload();
  await expect.poll(() => field.inputValue()).toMatch(/"b".*"a"/s);
});
