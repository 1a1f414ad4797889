import { beforeAll, expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";

const long = `Reader of ${"suppliers, certificates and delivery notes, ".repeat(4)}`.slice(0, 190);

const service = ownOrganization({
  script: (input) => (input === "fail" ? { status: 400, text: "no" } : { text: "Done." }),
});

beforeAll(async () => {
  const { organization_id } = await service.call("GET", `/agents/${service.templateId}`);
  for (const name of [long, "Twin", "Twin"]) {
    await service.call("POST", "/agents", { organization_id, definition: { name, instructions: "Work." } });
  }
  for (const input_text of ["fail", "go", "go"]) await service.endedRun({ input_text });
});

test("an agent shows its runs of 24 hours, its errors and its unknown cost, and comes first", async () => {
  const { page } = await service.open("agents");
  const first = page.getByRole("row").nth(1);
  await first.getByText("33 %").waitFor();
  expect(await first.innerText()).toMatch(/Starter agent\s+m\s+1\s+3\s+33 %\s+not known\s+(now|\d+ min ago)/);
  expect(await first.locator(".alarming .icon").count()).toBe(1);
  expect(await page.getByRole("row", { name: /Reader of/ }).innerText()).toMatch(/–\s+–\s+–\s+never/);
  await page.getByRole("button", { name: "Agent", exact: true }).click();
  await page.waitForURL(/sort=name/);
  await expect.poll(() => page.getByRole("row").nth(1).innerText()).toMatch(/^Reader of/);
});

test("agents with the same name have their ids beside it", async () => {
  const view = await service.open("agents");
  const twins = view.page.getByRole("row", { name: /Twin [0-9a-f]{8}/ });
  await expect.poll(() => twins.count()).toBe(2);
});

test.each([1280, 390])("a long name is cut at %d px, and pushes nothing off the page", async (width) => {
  const view = await service.open("agents", { viewport: { width, height: 800 } });
  const row = view.page.getByRole("row", { name: /Reader of/ });
  await row.getByText("never").waitFor();
  const name = await row.getByRole("link").boundingBox();
  const last = await row.getByText("never").boundingBox();
  expect((name?.x ?? 0) + (name?.width ?? 0)).toBeLessThan(width);
  expect((last?.x ?? width) + (last?.width ?? 0)).toBeLessThanOrEqual(width);
  expect(await view.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
});

test("a phone has no hints of keys, and searches as wide as the page", async () => {
  const view = await service.open("runs", { viewport: { width: 390, height: 844 }, isPhone: true });
  const { page } = view;
  for (const path of ["runs", "agents"]) {
    await view.goto(path);
    const field = page.getByRole("searchbox");
    await field.waitFor();
    await expect.poll(async () => (await field.boundingBox())?.width).toBe(390 - 2 * 16);
  }
  await view.goto("runs");
  await page.getByRole("button", { name: "Start run" }).click();
  await page.getByRole("dialog").waitFor();
  expect(await page.locator("kbd:visible").count()).toBe(0);
});

test("the agent of Start run is the last used one, and those with the same name have their ids", async () => {
  const { page } = await service.open("runs");
  const agent = page.getByRole("dialog").getByLabel("Agent");
  await page.getByRole("link", { name: "test" }).first().waitFor();
  await page.keyboard.press("n");
  const second = await agent
    .locator("option", { hasText: /^Twin \([0-9a-f]{8}\)$/ })
    .nth(1)
    .innerText(); // waits for it
  await agent.selectOption({ label: second });
  await page.getByRole("dialog").getByLabel("Input").fill("go");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { level: 1, name: "go" }).waitFor();
  await page.keyboard.press("n");
  await expect.poll(() => agent.locator("option:checked").innerText()).toBe(second);
});

test("the filter of agents is searched by typing", async () => {
  const { organization_id } = await service.call("GET", `/agents/${service.templateId}`);
  for (let index = 1; index <= 10; index++) {
    await service.call("POST", "/agents", {
      organization_id,
      definition: { name: `More ${index}`, instructions: "Work." },
    });
  }
  const { page } = await service.open("runs");
  await page.getByRole("button", { name: "Agent All" }).click();
  await page.getByRole("searchbox", { name: "Find an agent" }).waitFor();
  await page.keyboard.type("starter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`agent=${service.templateId}`));
});

test("an archived agent is read, and changed again after it is unarchived", async () => {
  const { organization_id } = await service.call("GET", `/agents/${service.templateId}`);
  const definition = { name: "Old one", instructions: "Work." };
  const { id } = await service.call("POST", "/agents", { organization_id, definition });
  await service.call("POST", `/agents/${id}/archive`);
  const { page } = await service.open(`agents/${id}?tab=edit`);
  const name = page.getByLabel("Name", { exact: true });
  await page.getByText("This agent is archived. Unarchive it to change it.").first().waitFor();
  expect(await name.isEditable()).toBe(false);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Unarchive" }).click();
  await expect.poll(() => name.isEditable()).toBe(true);
});

test("a new agent without prices is offered those of its provider's list", async () => {
  const { id } = await service.operatorCall("POST", "/organizations", { name: "Paying" });
  const secret = "env:ANTHROPIC_API_KEY";
  await service.operatorCall("PUT", `/organizations/${id}/model`, {
    provider: "anthropic",
    model: "claude-haiku-4-5",
    secret,
    enabled: true,
  });
  const { page } = await service.open("agents/new", { link: service.operatorUrl });
  await page.getByLabel("Organization").selectOption({ label: "Paying" });
  await page.getByText("List prices of claude-haiku-4-5 per million tokens: $1 input, $0.1 cached").waitFor();
  await page.getByRole("button", { name: "Use these prices" }).click();
  await page.getByText("Without prices").waitFor({ state: "detached" });
  const file = await page.getByRole("textbox", { name: "Agent file" }).inputValue();
  expect((JSON.parse(file) as { prices: object }).prices).toEqual({
    input: 1,
    output: 5,
    cachedInput: 0.1,
    cacheWriteInput: 1.25,
  });
});
