import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createRun } from "../integration/service.ts";
import type { ConsolePage } from "./console-page.ts";
import { ownOrganization } from "./own-service.ts";

// A viewer reads everything. What they may not do is disabled with its reason, or absent, and the API refuses it.

let viewer: ConsolePage;
let page: Page;
let token: string;
let running: string;
let ended: string;

const service = ownOrganization({
  script: (input) => (input === "stay" ? { until: new Promise(() => {}) } : { text: "Done." }),
});

beforeAll(async () => {
  ended = await service.endedRun({ name: "Ended", input_text: "go" });
  running = await createRun(service, { name: "Working", input_text: "stay" });
  const link = await service.newLink("Vera", "viewer");
  token = new URL(link).hash.slice(1);
  viewer = await service.open("", { link });
  page = viewer.page;
});

const main = (): Locator => page.getByRole("main");

/** Names of the buttons that can be pressed now, in the page itself. Read at once: the page is rendered again meanwhile. */
function pressable(): Promise<string[]> {
  return main()
    .getByRole("button", { disabled: false })
    .and(page.locator(":visible"))
    .evaluateAll((buttons) => buttons.map((each) => (each as HTMLElement).innerText.trim() || (each.ariaLabel ?? "")));
}

/** Buttons that change something, by their words. */
const writes =
  /^(New|Create|Start|Send|Stop|Run again|Save|Test|Remove|Disable|Enable|Revoke|Archive|Unarchive|Delete|Restore|Upload)\b/;

test.each([
  ["runs", "Runs", "Ask an operator to start runs."],
  ["agents", "Agents", "Ask an operator to create agents."],
  ["models", "Models", "Ask an operator to change models."],
  ["usage", "Usage", undefined],
  ["settings", "Settings", "Ask an operator to create links."],
  ["settings?tab=audit", "Settings", undefined],
])("on %s nothing can be changed", async (path, heading, reason) => {
  await viewer.goto(path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  if (reason !== undefined) await main().getByText(reason).first().waitFor();
  await page.getByRole("button", { name: /Vera/ }).waitFor();
  expect((await pressable()).filter((name) => writes.test(name))).toEqual([]);
});

test.each([
  ["", "Latest runs"],
  ["?tab=edit", "The same change as"],
  ["?tab=keys", "Disable…"],
  ["?tab=versions", "Version 1"],
])("on the agent%s nothing can be changed", async (tab, text) => {
  await viewer.goto(`agents/${service.templateId}${tab}`);
  await page.getByRole("heading", { level: 1, name: "Starter agent" }).waitFor();
  await main().getByText(text).first().waitFor();
  await page.getByRole("button", { name: "More actions" }).click();
  const menu = page.locator(".menu:popover-open");
  for (const name of ["Archive…", "Delete…"]) expect(await menu.getByRole("button", { name }).isDisabled()).toBe(true);
  await menu.getByText("You can read here. Ask an operator to change agents.").waitFor();
  await page.keyboard.press("Escape");
  expect((await pressable()).filter((name) => writes.test(name))).toEqual([]);
});

test("the editor shows the agent, and takes no change", async () => {
  await viewer.goto(`agents/${service.templateId}?tab=edit`);
  await page.getByLabel("Instructions").waitFor();
  for (const field of await main().locator("input:visible, textarea:visible").all()) {
    expect(await field.isEditable()).toBe(false);
  }
});

test.each(["running", "ended"])("a run that is %s can only be read", async (which) => {
  await viewer.goto(`runs/${which === "running" ? running : ended}`);
  await page.getByRole("heading", { level: 1, name: which === "running" ? "Working" : "Ended" }).waitFor();
  const input = page.getByRole("button", { name: "Send input" });
  expect(await input.getAttribute("title")).toBe("You can read here. Ask an operator to send inputs.");
  expect((await pressable()).filter((name) => writes.test(name))).toEqual([]);
  await page.getByRole("button", { name: "More actions" }).click();
  const remove = page.getByRole("button", { name: "Delete…" });
  expect([await remove.isDisabled(), await remove.getAttribute("title")]).toEqual([
    true,
    "You can read here. Ask an operator to delete runs.",
  ]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("i");
  await page.keyboard.press("r");
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("the key N opens no form that can be sent", async () => {
  await viewer.goto("runs");
  await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "Start run" });
  await dialog.getByLabel("Input").fill("anything");
  expect(await dialog.getByRole("button", { name: "Start run" }).isDisabled()).toBe(true);
  await dialog.getByText("Ask an operator to start runs.").waitFor();
  await page.keyboard.press("Control+Enter");
  const runs = await fetch(`${service.baseUrl}/manage/v1/runs`, { headers: { authorization: `Bearer ${token}` } });
  expect(((await runs.json()) as { data: unknown[] }).data.length).toBe(2);
});

test.each([
  ["POST", "/runs", () => ({ agent_id: service.templateId, name: "x" })],
  ["POST", `/runs/RUN/input`, () => ({ input_text: "x" })],
  ["POST", `/runs/RUN/stop`, () => undefined],
  ["DELETE", `/runs/RUN`, () => undefined],
  ["POST", "/organizations", () => ({ name: "x" })],
  ["POST", "/agents/AGENT/archive", () => undefined],
  ["POST", "/agents/AGENT/keys", () => ({ name: "x" })],
  ["POST", "/operators", () => ({ name: "x", role: "operator" })],
])("the API refuses %s %s", async (method, path, body) => {
  const url = `${service.baseUrl}/manage/v1${path.replace("RUN", running).replace("AGENT", service.templateId)}`;
  const sent = body();
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(sent && { "content-type": "application/json" }) },
    ...(sent && { body: JSON.stringify(sent) }),
  });
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, "forbidden"]);
});
