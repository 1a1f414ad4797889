import { expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";

// The deletion of an organization: confirmed with its name, it says what is lost, and that it cannot be cancelled.

const service = ownOrganization();

test("the deletion waits for the name, shows that it continues, and ends at the top of another organization", async () => {
  const { id } = await service.operatorCall("POST", "/organizations", { name: "Acme Ltd" });
  const { page } = await service.open(`models?organization=${id}`, { link: service.operatorUrl });
  await page.getByRole("button", { name: "Delete organization" }).click();
  const dialog = page.getByRole("dialog");
  const submit = dialog.getByRole("button", { name: "Delete organization" });
  const background = () => submit.evaluate((element) => getComputedStyle(element).backgroundColor);
  await dialog.getByText("Type “Acme Ltd” to confirm.").waitFor();
  await dialog.getByLabel("Name").fill("acme");
  expect(await submit.isDisabled()).toBe(true);
  const disabled = await background();
  await dialog.getByLabel("Name").fill("Acme Ltd");
  expect(await submit.isEnabled()).toBe(true);
  await expect.poll(background).not.toBe(disabled);

  const held = Promise.withResolvers<void>();
  await page.route("**/manage/v1/organizations/*", async (route) => {
    if (route.request().method() === "DELETE") await held.promise;
    await route.continue();
  });
  await submit.click();
  await dialog.getByText("This cannot be cancelled.").waitFor();
  await expect.poll(background).toBe(disabled);
  expect(await dialog.getByRole("button", { name: "Cancel" }).count()).toBe(0);
  expect(await dialog.getByLabel("Name").isEditable()).toBe(false);
  await dialog.getByText("0 runs deleted so far").waitFor();
  held.resolve();
  await page.getByText("Deleted Acme Ltd with 0 runs").waitFor();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
});
