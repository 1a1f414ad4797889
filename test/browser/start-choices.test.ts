import { expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";

const service = ownOrganization({ script: () => ({ text: "OK" }) });

test("a run is started with limits, which Run again keeps; without choices, none are shown", async () => {
  const { page } = await service.open(`start?agent=${service.templateId}`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Input").fill("Limited");
  await dialog.getByText("Model, limits, labels and more").click();
  await dialog.getByRole("group", { name: "Of one turn" }).getByLabel("Steps").fill("0");
  await dialog.getByRole("button", { name: "Start run" }).click();
  await dialog.getByRole("alert").first().waitFor(); // the service's own words, at the field
  await dialog.getByRole("group", { name: "Of one turn" }).getByLabel("Steps").fill("7");
  await dialog.getByLabel("URL").fill("https://example.com");
  await dialog.getByLabel("URL").fill(""); // as if it had never been entered
  await dialog.getByRole("button", { name: "Start run" }).click();
  await page.getByRole("heading", { level: 1, name: "Limited" }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const run = await service.call<{ chosen: object }>("GET", `/runs/${id}`);
  expect(run.chosen).toEqual({ model: null, limits: { turn: { steps: 7 }, run: {} } });

  const again = await service.open(`start?from=${id}`);
  const steps = again.page.getByRole("dialog").getByRole("group", { name: "Of one turn" }).getByLabel("Steps");
  await expect.poll(() => steps.inputValue()).toBe("7");

  const plain = await service.endedRun({ input_text: "Plain" });
  const other = await service.open(`start?from=${plain}`);
  const input = other.page.getByRole("dialog").getByLabel("Input");
  await expect.poll(() => input.inputValue()).toBe("Plain");
  expect(await other.page.getByLabel("Steps").count()).toBe(0);
});
