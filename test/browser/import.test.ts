import { beforeAll, expect, test } from "vitest";
import { bundleOf, contentsOf, withEvents, withRun } from "../support/bundles.ts";
import type { ConsolePage } from "./console-page.ts";
import { ownOrganization } from "./own-service.ts";
import { payloads } from "./payloads.ts";

let view: ConsolePage;
let bundle: Buffer;
let agentId: string;

const service = ownOrganization({
  script: (input, step) =>
    step === 1
      ? { text: "Writing.", calls: [{ name: "write_file", arguments: { name: "a.txt", content: input } }] }
      : { text: `Answer to ${input}` },
});

beforeAll(async () => {
  const runId = await service.endedRun({ name: "Source", input_text: "Count." });
  ({ agent_id: agentId } = await service.call<{ agent_id: string }>("GET", `/runs/${runId}`));
  const token = new URL(service.consoleUrl).hash.slice(1);
  const response = await fetch(`${service.baseUrl}/manage/v1/runs/${runId}/export`, {
    headers: { authorization: `Bearer ${token}` },
  });
  bundle = Buffer.from(await response.arrayBuffer());
  view = await service.open();
});

/** Imports a file with the menu of the agent. */
async function importFile(buffer: Buffer): Promise<void> {
  const { page } = view;
  await view.goto(`agents/${agentId}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Import a run…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Bundle").setInputFiles({ name: "run.zip", mimeType: "application/zip", buffer });
  await dialog.getByRole("button", { name: "Import and open" }).click();
}

test("a bundle is imported, shown as read-only, and forked with what the agent is", async () => {
  const { page } = view;
  await importFile(bundle);
  await page.getByRole("heading", { level: 1, name: "Source" }).waitFor();
  await page.getByText("imported", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Send input" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Fork from this step…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("the fork runs on what its agent is now").waitFor();
  await dialog.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: /^Fork and open/ }).click();
  await page.getByRole("heading", { level: 1, name: "Fork of Source" }).waitFor();
  await page.getByText("Answer to Count.").first().waitFor();
  await view.goto("runs?since=all");
  await page.getByText("imported", { exact: true }).first().waitFor();
});

test("a bundle that is refused says why, and stays in the dialog", async () => {
  const { page } = view;
  await importFile(bundle.subarray(0, -1));
  await page.getByRole("dialog").getByText("the bundle cannot be imported").waitFor();
  await page.keyboard.press("Escape");
});

test("scripts in the texts of a bundle are shown as text", async () => {
  const { page } = view;
  const all = payloads.map(({ text }) => text.slice(0, 2_000).toWellFormed()).join("\n\n");
  const files = withEvents(await contentsOf(bundle), (events) =>
    events.map((event) => {
      const texts = JSON.stringify(event, (key, value: unknown) =>
        ["text", "model", "content", "reason"].includes(key) && typeof value === "string" ? all : value,
      );
      return JSON.parse(texts.replaceAll('"name":"write_file"', () => `"name":${JSON.stringify(all)}`)) as typeof event;
    }),
  );
  const name = "<img src=x onerror=window.pwned=1>";
  await importFile(
    await bundleOf(withRun(files, (record) => ({ ...record, run: { ...record.run, name, labels: { a: name } } }))),
  );
  await page.getByRole("heading", { level: 1, name }).waitFor();
  const [id = ""] = /[0-9a-f-]{36}/.exec(page.url()) ?? [];
  for (const place of ["1.1", "1.1.1", "1.2"]) {
    await view.goto(`runs/${id}?at=${place}`);
    await page.getByRole("heading", { name: new RegExp(`^Step ${place.charAt(2)}\\b`) }).waitFor();
  }
  expect(await page.evaluate(() => [Reflect.get(window, "pwned"), Reflect.get({}, "pwned")])).toEqual([
    undefined,
    undefined,
  ]);
  expect(await page.locator("#app :is(script, object, embed, form[action], base, [onerror], [onload])").count()).toBe(
    0,
  );
});
