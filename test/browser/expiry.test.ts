import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { own, ownOrganization } from "./own-service.ts";

// Keys and links that end: chosen when they are made, and shown before.

const day = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * day).toISOString().slice(0, 10);

let page: Page;

const service = ownOrganization();

const view = own(() => service.open(`agents/${service.templateId}?tab=keys`, { link: service.operatorUrl }));
beforeAll(() => void ({ page } = view));

/** Makes a key or link whose end is the choice of the list, with the date of the last one. Returns what is shown once. */
async function create(name: string, button: string, choice: string, date?: string): Promise<string> {
  await page.getByRole("button", { name: button }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await dialog.getByLabel("Expires", { exact: true }).selectOption({ label: choice });
  if (date !== undefined) await dialog.getByLabel("Expiry date").fill(date);
  await dialog.getByRole("button", { name: button }).click();
  const secret = await page.locator(".secret-box code").innerText();
  await page.getByRole("dialog").getByRole("checkbox").check();
  await page.getByRole("button", { name: "Done" }).click();
  return secret.trim();
}

const rowOf = (name: string) => page.getByRole("row").filter({ has: page.getByRole("cell", { name, exact: true }) });

test("a key ends after the chosen time, and its end stands out two weeks before", async () => {
  await create("far", "Create key", "in 90 days");
  const key = await create("near", "Create key", "on a date", inDays(6));
  await rowOf("far").getByText("in 89 days").waitFor();
  expect(await rowOf("far").locator(".badge").count()).toBe(0);
  await rowOf("near").locator(".badge.warn", { hasText: "in 5 days" }).waitFor();
  const { status } = await fetch(`${service.baseUrl}/v1/agents/${randomUUID()}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(status).toBe(404); // the key is accepted, and there is no such run
});

test("a link ends after the chosen time", async () => {
  await view.goto("settings");
  const link = await create("Nora", "Create link", "in 30 days");
  expect(link).toMatch(/#ao_\w+$/);
  await rowOf("Nora").getByText("in 29 days").waitFor();
});
