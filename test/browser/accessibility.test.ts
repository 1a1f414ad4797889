import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createRun } from "../integration/service.ts";
import type { ConsolePage } from "./console-page.ts";
import { ownService } from "./own-service.ts";
import { violations } from "./violations.ts";

let pages: [path: string, text: string][];

// Settings and the dialog of a new organization need a role in all organizations, which also shows what other files did.
const service = ownService({
  script: (input, step) => {
    if (input === "stay") return { until: new Promise(() => {}) };
    if (input === "ask" && step === 1) {
      const question = { question: "How shall I count them?", choices: ["As unknown", "Not at all"] };
      return {
        calls: [
          { name: "delete_file", arguments: { name: "a.md" } },
          { name: "book", arguments: { order: "55-1093" } },
          { name: "ask_person", arguments: question },
        ],
      };
    }
    if (step > 3)
      return { text: "# Result\n\n- `one`\n- [link](https://example.com)\n\n| a | b |\n|---|---|\n| 1 | 2 |" };
    const name = "a-file-with-a-rather-long-name-that-does-not-fit.md";
    return {
      text: `Step ${step} of a run with ${"a long explanation of what is done, ".repeat(4)}`,
      calls: [
        { name: "write_file", arguments: { name, content: `line\n${step}\n` } },
        { name: "read_file", arguments: { name: "missing" } },
        { name: "list_files", arguments: {} },
      ],
    };
  },
});

beforeAll(async () => {
  const webhook = { url: "http://127.0.0.1:9", private_addresses: true };
  await service.call("PUT", `/agents/${service.templateId}/webhook`, webhook);
  const ended = await service.endedRun({
    name: "A run with a name of a certain length, so that it has to be cut somewhere",
    input_text: "go",
  });
  const running = await createRun(service, { name: "Working", input_text: "stay" });
  const { definition } = await service.call<{ definition: object }>("GET", `/agents/${service.templateId}`);
  const asks = {
    tools: ["list_files", "read_file", "write_file", "delete_file", "ask_person"],
    toolPolicy: { delete_file: "ask" },
    clientTools: [{ name: "book", description: "Books.", input: { type: "object" } }],
  };
  await service.call("PUT", `/agents/${service.templateId}`, { definition: { ...definition, ...asks } });
  const waiting = await createRun(service, { name: "Asking", input_text: "ask" });
  const agent = `agents/${service.templateId}`;
  pages = [
    ["runs?since=all", "Working"],
    ["runs?q=nothing-matches", "No run matches"],
    [`runs/${ended}?at=1.2.2`, "Arguments"],
    [`runs/${ended}?at=1.3.1&tab=files`, "SHA-256"],
    [`runs/${ended}?at=1.3.1&tab=tools`, "Median"],
    [`runs/${ended}?at=1.3.1&tab=cost`, "Cost is not recorded"],
    [`runs/${running}`, "Waiting for the model"],
    [`runs/${waiting}`, "Waiting for 3 answers"],
    ["waiting", "Answer by hand"],
    ["agents", "Starter agent"],
    ["agents/new", "Agent file"],
    [agent, "Latest runs"],
    [`${agent}?tab=edit`, "Agent file"],
    [`${agent}?tab=keys`, "Disable…"],
    [`${agent}?tab=webhook`, "ECONNREFUSED"],
    [`${agent}?tab=versions`, "Version 1"],
    ["models", "Quota"],
    ["usage", "Starter agent"],
    ["errors", "No run failed in the last 7 days"],
    ["texts?q=explanation", "Searched all"],
    ["texts", "What did a run say?"],
    ["settings", "Revoke…"],
    ["settings?tab=audit", "agent.create"],
    ["settings?tab=browser", "Theme"],
    ["runs/00000000-0000-4000-8000-000000000000", "This run does not exist"],
    ["agents/00000000-0000-4000-8000-000000000000", "This agent does not exist"],
    ["nowhere", "This page does not exist"],
  ];
});

/** Opens a page, and waits for text that shows that its data is there. */
async function show(view: ConsolePage, path: string, text: string): Promise<void> {
  await view.goto(path);
  await view.page.getByRole("main").getByText(text).and(view.page.locator(":visible")).first().waitFor();
}

const dialogs: [name: string, path: () => string, open: (page: Page) => Promise<unknown>][] = [
  ["start", () => "runs", (page) => page.getByRole("button", { name: "Start run" }).first().click()],
  ["palette", () => "runs", (page) => page.keyboard.press("Control+k")],
  ["help", () => "runs", (page) => page.keyboard.press("?")],
  ["organization", () => "models", (page) => page.getByRole("button", { name: "New organization" }).click()],
  [
    "key",
    () => `agents/${service.templateId}?tab=keys`,
    async (page) => {
      await page.getByRole("button", { name: "Create key" }).first().click();
      await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
      await page.getByText("Waiting for the first call").waitFor();
    },
  ],
  [
    "confirm",
    () => `agents/${service.templateId}?tab=keys`,
    (page) => page.getByRole("button", { name: "Disable…" }).first().click(),
  ],
  [
    "webhook",
    () => `agents/${service.templateId}?tab=webhook`,
    (page) => page.getByRole("button", { name: "Edit…" }).click(),
  ],
  ["input", () => pages[6]?.[0] ?? "", (page) => page.getByRole("button", { name: "Send input" }).click()],
];

describe.each([
  ["light", { width: 1440, height: 900 }],
  ["dark", { width: 1440, height: 900 }],
  ["light", { width: 390, height: 844 }],
  ["dark", { width: 390, height: 844 }],
] as const)("%s at %o", (colorScheme, viewport) => {
  test("no page has a violation", async () => {
    const view = await service.open("", { colorScheme, viewport });
    const found: string[] = [];
    for (const [path, text] of pages) {
      await show(view, path, text);
      found.push(
        ...(await violations(view.page, colorScheme)).map(
          (violation) => `${path.replace(/[0-9a-f-]{36}/, "ID")}: ${violation}`,
        ),
      );
    }
    expect(found).toEqual([]);
  });

  test("no dialog has a violation", async () => {
    const view = await service.open("", { colorScheme, viewport });
    const found: string[] = [];
    for (const [name, path, open] of dialogs) {
      await view.page.goto(`${service.baseUrl}/console/${path()}`);
      await view.page.getByRole("heading", { level: 1 }).waitFor();
      await open(view.page);
      await view.page.getByRole("dialog").waitFor();
      found.push(...(await violations(view.page, colorScheme)).map((violation) => `${name}: ${violation}`));
    }
    expect(found).toEqual([]);
  });
});

test("no page scrolls sideways at 360, 390, 1100 and 1440 pixels", async () => {
  const found: string[] = [];
  const view = await service.open();
  for (const [path, text] of pages) {
    await view.page.setViewportSize({ width: 1440, height: 844 });
    await show(view, path, text);
    for (const width of [1440, 1100, 390, 360]) {
      await view.page.setViewportSize({ width, height: 844 });
      // Charts are drawn again in the new width.
      const fits = view.page.waitForFunction((max) => document.documentElement.scrollWidth <= max, width, {
        timeout: 30_000,
      });
      await fits.catch(() => found.push(`${path.replace(/[0-9a-f-]{36}/, "ID")} at ${width}`));
    }
  }
  expect(found).toEqual([]);
});

test("a run is started and read with the keyboard alone", async () => {
  const { page } = await service.open("runs");
  const { keyboard } = page;
  await page.getByRole("link", { name: "Working" }).waitFor();
  await keyboard.press("n");
  await page.getByRole("dialog", { name: "Start run" }).waitFor();
  await keyboard.type("Typed by hand");
  await keyboard.press("Control+Enter");
  await page.getByRole("heading", { level: 1, name: "Typed by hand" }).waitFor();
  await page.getByText("Output").first().waitFor();
  await keyboard.press("[");
  await page.getByRole("heading", { name: /^Step \d/ }).waitFor();
  await keyboard.press("3");
  await page.getByRole("tab", { name: "Files", selected: true }).waitFor();
  await page.clock.setFixedTime(new Date()); // the second key comes in time
  await keyboard.press("g");
  await keyboard.press("r");
  await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
  await page.getByRole("link", { name: "Typed by hand" }).waitFor();
  await keyboard.press("j");
  await keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Typed by hand" }).waitFor();
});
