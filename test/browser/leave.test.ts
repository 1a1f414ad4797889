import { expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";

const service = ownOrganization();

test("leaving a page with edits asks in a dialog of the page: by link, by key and by Back", async () => {
  const { page } = await service.open("agents");
  await page.getByRole("link", { name: "Starter agent" }).click();
  await page.getByRole("main").getByRole("link", { name: "Edit", exact: true }).first().click();
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("Renamed");
  const dialog = page.getByRole("dialog", { name: "Leave without saving?" });

  await page.getByRole("link", { name: "Usage" }).click();
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await name.inputValue()).toBe("Renamed");

  await page.goBack();
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  expect(await name.inputValue()).toBe("Renamed");

  await page.getByRole("heading", { level: 1 }).click(); // out of the field
  await page.clock.setFixedTime(new Date()); // the second key comes in time
  await page.keyboard.press("g");
  await page.keyboard.press("u");
  await dialog.getByRole("button", { name: "Discard changes" }).click();
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
});
