import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createRun, finished } from "../integration/service.ts";
import { ownOrganization } from "./own-service.ts";

// What the page shows of calls that wait for answers, and how people answer them.

const file = { name: "report.txt", content: "212 orders without a region" };
const bookingTool = {
  name: "erp_book_credit",
  description: "Books a credit.",
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
};
const approval = { name: "write_file", arguments: file };
const booking = { name: "erp_book_credit", arguments: { order: "55-1093", amount: "SAFE" } };
const question = {
  name: "ask_person",
  arguments: {
    question: "Four postcodes belong to no region. How shall I count them?",
    choices: ["As “unknown”", "Leave them out"],
  },
};
const scripts: Record<string, { name: string; arguments: object }[]> = {
  approval: [approval],
  long: [{ name: "write_file", arguments: { name: "long.txt", content: "line\n".repeat(40) } }],
  question: [question],
  all: [approval, booking, question],
};

const service = ownOrganization({
  script: (input, step) => {
    const calls = scripts[input];
    return step === 1 && calls ? { text: "I ask first.", calls } : { text: "Done." };
  },
});

beforeAll(async () => {
  const definition = {
    name: "Data analyst",
    instructions: "Work.",
    tools: ["write_file", "ask_person"],
    toolPolicy: { write_file: "ask" },
    clientTools: [bookingTool],
  };
  await service.call("PUT", `/agents/${service.templateId}`, { definition });
});

/** A new run of this input that waits for answers. */
async function waitingRun(input: string, name = `Run ${input}`): Promise<string> {
  const run = await createRun(service, { name, input_text: input });
  await expect.poll(async () => (await service.call<{ state: string }>("GET", `/runs/${run}`)).state).toBe("waiting");
  return run;
}

const card = (page: Page, name: RegExp | string): Locator => page.getByRole("article", { name });
const steps = (page: Page): Locator => page.getByRole("region", { name: "Steps" });

async function output(run: string): Promise<string | undefined> {
  return (await finished(service, run)).transcript.at(-1)?.text;
}

test("an approval shows the exact arguments, and Allow lets the call run", async () => {
  const created = Date.now();
  const run = await waitingRun("approval");
  const opened = Date.now();
  const { page } = await service.open(`runs/${run}`);
  await page.getByText("Waiting for an answer").first().waitFor();
  await page.getByText("Waiting for 1 answer.").waitFor();
  const asked = card(page, "Approval: write_file");
  expect(await asked.locator("dl").innerText()).toContain(file.content);
  expect(await page.getByText("Interrupted").count()).toBe(0);
  const answered = Date.now();
  await asked.getByRole("button", { name: "Allow" }).click();
  await steps(page)
    .getByText(/^write_file: allowed by Ada after/)
    .waitFor();
  expect(await output(run)).toBe("Done.");
  await expect.poll(() => asked.count()).toBe(0);
  await page.getByText("Finished", { exact: true }).first().waitFor();
  // The times of the turn and of the run leave out the wait, which was longer than the page was open.
  const { usage, turn_usage: turn } = await service.call<Record<"usage" | "turn_usage", { milliseconds: number }>>(
    "GET",
    `/runs/${run}`,
  );
  const longest = Date.now() - created - (answered - opened);
  expect(Math.max(usage.milliseconds, turn.milliseconds)).toBeLessThanOrEqual(longest);
  expect(Math.min(usage.milliseconds, turn.milliseconds)).toBeGreaterThan(0);
});

test("a denial tells the model the reason, and the timeline shows it", async () => {
  const run = await waitingRun("approval");
  const { page } = await service.open(`runs/${run}`);
  const asked = card(page, "Approval: write_file");
  await asked.getByLabel("Reason").fill("Not in this quarter");
  await asked.getByRole("button", { name: "Deny" }).click();
  await steps(page)
    .getByText(/write_file: denied by Ada .*Reason: Not in this quarter/)
    .waitFor();
  await steps(page).getByText("Not executed: the call was denied. Reason: Not in this quarter").waitFor();
  await page.goto(page.url().replace(/\?.*/, "?at=1.1.1"));
  await page
    .getByRole("complementary", { name: "Inspector" })
    .getByText(/^denied by Ada/)
    .waitFor();
});

test("a question is answered with one of its choices", async () => {
  const run = await waitingRun("question");
  const { page } = await service.open(`runs/${run}`);
  const asked = card(page, /^Question/);
  await asked.getByText(question.arguments.question).waitFor();
  expect(await asked.getByRole("button", { name: "Send answer" }).isDisabled()).toBe(true);
  await asked.getByRole("button", { name: "Leave them out" }).click();
  await asked.getByRole("button", { name: "Send answer" }).click();
  await steps(page)
    .getByText(/^ask_person: answered by Ada/)
    .waitFor();
  await page.goto(page.url().replace(/\?.*/, "?at=1.1.1"));
  await page.getByRole("complementary", { name: "Inspector" }).getByText("Leave them out").last().waitFor();
});

test("a call that a program answers can be answered by hand", async () => {
  const run = await waitingRun("all");
  const { page } = await service.open(`runs/${run}`);
  const asked = card(page, "Client tool: erp_book_credit");
  await asked.getByText("Answer by hand…").click();
  await asked.getByRole("button", { name: "Error" }).click();
  await asked.getByRole("textbox").fill("The order is closed.");
  await asked.getByRole("button", { name: "Send" }).click();
  await steps(page)
    .getByText(/^erp_book_credit: answered with an error by Ada/)
    .waitFor();
  await page.getByText("Waiting for 2 answers.").waitFor();
});

test("of two people who answer one call, the first wins, and the other reads the answer", async () => {
  const run = await waitingRun("approval");
  const first = await service.open(`runs/${run}`);
  const second = await service.open(`runs/${run}`);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await second.page.route("**/answers", async (route) => {
    await held;
    await route.continue();
  });
  const late = card(second.page, "Approval: write_file");
  await late.getByRole("button", { name: "Allow" }).click();
  await late.getByRole("button", { name: "Allowing…" }).waitFor();
  for (const name of ["Allowing…", "Deny"]) {
    expect(await late.getByRole("button", { name }).isDisabled()).toBe(true);
  }
  await card(first.page, "Approval: write_file").getByRole("button", { name: "Deny" }).click();
  await steps(first.page)
    .getByText(/^write_file: denied by Ada/)
    .waitFor();
  release();
  await second.page.getByText(/^The call 1\.1\.0 was denied by Ada .*; the first answer counts\.$/).waitFor();
  await expect.poll(() => late.count()).toBe(0);
  await steps(second.page)
    .getByText(/^write_file: denied by Ada/)
    .waitFor();
});

test("a card whose arguments are not the call's is not accepted", async () => {
  const run = await waitingRun("approval");
  const { page } = await service.open(`runs/${run}`);
  await page.route("**/answers", (route) => {
    const body = route.request().postDataJSON() as object;
    return route.continue({ postData: { ...body, arguments_sha256: "0".repeat(64) } });
  });
  await card(page, "Approval: write_file").getByRole("button", { name: "Allow" }).click();
  await page.getByText(/^The arguments of call 1\.1\.0 have the SHA-256/).waitFor();
  await card(page, "Approval: write_file").getByRole("button", { name: "Allow", disabled: false }).waitFor();
});

/** Opens a page whose cards are on screen for as long as the test says, however slow the machine is. */
async function openHeld(path: string, options: { link?: string } = {}) {
  const { page } = await service.open("runs", options);
  await page.addInitScript(() => {
    let passed = 0;
    performance.now = () => passed;
    addEventListener("pass", (event) => (passed += (event as CustomEvent<number>).detail));
  });
  await page.goto(`${service.baseUrl}/console/${path}`);
  const pass = (milliseconds: number): Promise<void> =>
    page.evaluate((detail) => void dispatchEvent(new CustomEvent("pass", { detail })), milliseconds);
  return { page, pass };
}

/** Lets time pass and presses a key until a step has a text: when the page notices a card is not known. */
async function pressUntil(page: Page, pass: (milliseconds: number) => Promise<void>, key: string, text: RegExp) {
  const press = async (): Promise<number> => {
    await pass(500);
    await page.keyboard.press(key);
    return steps(page).getByText(text).count();
  };
  await expect.poll(press).toBe(1);
}

test("keys answer the focused card only, after it was on screen", async () => {
  const run = await waitingRun("all");
  const { page, pass } = await openHeld(`runs/${run}`);
  const asked = card(page, "Approval: write_file");
  await asked.waitFor();
  await pass(700);
  await page.keyboard.press("a");
  expect(await asked.getByRole("button", { name: "Allow", disabled: false }).count()).toBe(1);
  await page.keyboard.press("w");
  const focused = (): Promise<string | null> => page.locator(":focus").getAttribute("aria-label");
  expect(await focused()).toBe("Approval: write_file");
  await page.keyboard.press("w");
  expect(await focused()).toBe("Client tool: erp_book_credit");
  await page.keyboard.press("a");
  await page.keyboard.press("w");
  await page.keyboard.press("w");
  expect(await focused()).toBe("Approval: write_file");
  await pressUntil(page, pass, "d", /^write_file: denied by Ada/);
});

test("a key that is pressed as a card appears does not answer it", async () => {
  const run = await waitingRun("approval");
  const { page, pass } = await openHeld(`runs/${run}`);
  const asked = card(page, "Approval: write_file");
  await asked.focus();
  for (const milliseconds of [0, 499]) {
    await pass(milliseconds);
    await page.keyboard.press("a");
    expect(await asked.getByRole("button", { name: "Allow", disabled: false }).count()).toBe(1);
  }
  await pressUntil(page, pass, "a", /^write_file: allowed by Ada/);
});

test("long arguments fold after 12 lines", async () => {
  const run = await waitingRun("long");
  const view = await service.open(`runs/${run}`);
  const asked = card(view.page, "Approval: write_file");
  const height = async (): Promise<number> => (await asked.locator(".args-box").boundingBox())?.height ?? 0;
  await asked.getByRole("button", { name: "Show all arguments" }).waitFor();
  expect(await height()).toBeLessThan(260);
  await asked.getByRole("button", { name: "Show all arguments" }).click();
  await expect.poll(height).toBeGreaterThan(700);
});

test("a viewer reads the calls and cannot answer them", async () => {
  const run = await waitingRun("all");
  const { page, pass } = await openHeld(`runs/${run}`, { link: await service.newLink("Vera", "viewer") });
  const reason = "You can read here. Ask an operator to answer calls.";
  const asked = card(page, "Approval: write_file");
  await asked.getByText(reason).waitFor();
  for (const name of ["Allow", "Deny"]) {
    const button = asked.getByRole("button", { name });
    expect([await button.isDisabled(), await button.getAttribute("title")]).toEqual([true, reason]);
  }
  expect(
    await card(page, /^Question/)
      .getByRole("button", { name: "Leave them out" })
      .isDisabled(),
  ).toBe(true);
  const answers: string[] = [];
  page.on("request", (request) => void (request.url().endsWith("/answers") && answers.push(request.url())));
  await page.keyboard.press("w");
  await pass(700);
  await page.keyboard.press("a");
  expect(await asked.count()).toBe(1);
  expect(answers).toEqual([]);
});

test("the list has all calls that wait, counted in its link and in the tab's title", async () => {
  await waitingRun("question", "Listed");
  const view = await service.open("waiting");
  const { page } = view;
  const list = await service.call<{ data: { open_calls: object[] }[] }>("GET", "/runs/waiting");
  const calls = list.data.flatMap((each) => each.open_calls).length;
  await expect.poll(() => page.getByRole("article").count()).toBe(calls);
  await page.getByRole("link", { name: `Waiting ${calls}` }).waitFor();
  await expect.poll(() => page.title()).toBe(`(${calls}) Waiting · Agent Run Service`);
  const listed = page.getByRole("region", { name: "Listed" });
  await listed.getByRole("link", { name: "Listed" }).waitFor();
  await listed.getByRole("textbox", { name: "Answer" }).fill("By hand");
  await listed.getByRole("button", { name: "Send answer" }).click();
  await expect.poll(() => listed.count()).toBe(0);
  await expect.poll(() => page.title()).toBe(`(${calls - 1}) Waiting · Agent Run Service`);
  await view.goto("runs?status=waiting");
  await page
    .getByRole("link", { name: /^Waiting for an answer/ })
    .and(page.locator("[aria-current]"))
    .waitFor();
  await page.getByRole("table").getByText("Waiting for an answer").first().waitFor();
});

test("the list is filtered by kind, agent and who may answer", async () => {
  await waitingRun("all", "Of three kinds");
  const { page } = await service.open("waiting");
  const listed = page.getByRole("region", { name: "Of three kinds" });
  await expect.poll(() => listed.getByRole("article").count()).toBe(3);
  const choose = async (chip: RegExp, choice: string): Promise<void> => {
    await page.getByRole("button", { name: chip }).click();
    await page.getByRole("button", { name: choice, exact: true }).click();
  };
  await choose(/^Kind/, "Question");
  await expect.poll(() => listed.getByRole("article").count()).toBe(1);
  await listed.getByText(question.arguments.question).waitFor();
  await choose(/^Who/, "Only operators"); // keys answer questions
  await page.getByText("No call that waits matches").waitFor();
  await choose(/^Kind/, "All kinds");
  await card(page, "Approval: write_file").first().waitFor();
  expect(await listed.getByRole("article").count()).toBe(1);
  await choose(/^Agent/, "Data analyst");
  await page.reload();
  await listed.getByRole("article").waitFor();
  expect(new URL(page.url()).searchParams.get("who")).toBe("operators");
  await listed.getByRole("button", { name: "Deny" }).click();
  await expect.poll(() => listed.count()).toBe(0);
});

test("the browser notifies about a call that begins to wait, once", async () => {
  const { page, context } = await service.open("waiting");
  await context.grantPermissions(["notifications"]);
  await page.evaluate(() => {
    Object.assign(globalThis, {
      Notification: class extends EventTarget {
        static permission = "granted";
        static requestPermission(): Promise<string> {
          return Promise.resolve("granted");
        }
        constructor(title: string, { body }: { body: string }) {
          super();
          document.body.dataset["notified"] = [document.body.dataset["notified"] ?? "", title, body].join(", ");
        }
      },
    });
  });
  await page.getByRole("button", { name: "Notify me in this browser" }).click();
  await page.getByRole("button", { name: "Notifies in this browser", pressed: true }).waitFor();
  await waitingRun("approval", "Noticed");
  const notified = () => page.evaluate(() => document.body.dataset["notified"]);
  await expect.poll(notified).toBe(", Approval: write_file, Noticed");
  // When the second further list is there, the first one has been looked at.
  await page.clock.install();
  for (let lists = 0; lists < 2; lists++) {
    const read = page.waitForResponse(/\/runs\/waiting/);
    await page.clock.runFor(5_000);
    await read;
  }
  expect(await notified()).toBe(", Approval: write_file, Noticed");
});

test.each(["run", "list"])("on a phone, the %s has no sideways scroll, and choices are large enough", async (which) => {
  const run = await waitingRun("all");
  const viewport = { width: 390, height: 844 };
  const { page } = await service.open(which === "run" ? `runs/${run}` : "waiting", { viewport, isPhone: true });
  const choice = page.getByRole("button", { name: "Leave them out" }).first();
  await choice.waitFor();
  expect((await choice.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  const allow = page.getByRole("button", { name: "Allow" }).first();
  expect((await allow.boundingBox())?.height).toBeGreaterThanOrEqual(40);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
  const boxes = await page.getByRole("article").all();
  for (const box of boxes) {
    expect(await box.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  }
});

test("what waits is set in the agent's form, which says what is wrong with it", async () => {
  const { page } = await service.open(`agents/${service.templateId}?tab=edit`);
  await page.getByText("Asks a person a question. The run waits for the answer.").waitFor();
  const group = page.getByRole("group", { name: "Rules for tools" });
  const rule = (name: string): Locator => group.getByLabel(`Rule for ${name}`, { exact: true });
  expect([await rule("write_file").inputValue(), await rule("ask_person").inputValue()]).toEqual(["ask", ""]);
  await group.getByRole("button", { name: "Add a rule for another tool" }).click();
  await group.getByLabel("Name of a tool").fill("web_fetch");
  await group.getByLabel("Name of a tool").press("Tab");
  await rule("web_fetch").selectOption("deny");
  const tools = page.getByLabel("Client tools");
  expect(await tools.inputValue()).toContain('"name": "erp_book_credit"');
  await tools.fill('[{"name": "1", "description": "Books.", "input": {"type": "object"}}');
  await page.getByText(/^Not valid JSON/).waitFor();
  await tools.fill('[{"name": "1", "description": "Books.", "input": {"type": "object"}}]');
  await page.getByLabel("Seconds to answer").fill("3600");
  await page.getByLabel("API keys may answer approvals").check();
  await page.getByRole("button", { name: /^Save as version/ }).click();
  await page.getByText(/^0\.name: /).waitFor();
  await tools.fill(JSON.stringify([bookingTool]));
  await page.getByRole("button", { name: /^Save as version/ }).click();
  await page.getByText(/^Saved version/).waitFor();
  const saved = await service.call<{ definition: object }>("GET", `/agents/${service.templateId}`);
  expect(saved.definition).toMatchObject({
    toolPolicy: { write_file: "ask", web_fetch: "deny" },
    clientTools: [bookingTool],
    answers: { withinSeconds: 3_600, keysApprove: true },
  });
});

test("a call whose time is over is grey and says what became of it", async () => {
  const run = await waitingRun("approval");
  const view = await service.open("runs");
  const { page } = view;
  await page.clock.setFixedTime(Date.now() + 2 * 86_400_000);
  await view.goto(`runs/${run}`);
  const asked = card(page, "Approval: write_file");
  await asked.getByText(/^Not answered by .*, denied\.$/).waitFor();
  expect(await asked.getByRole("button").count()).toBe(0);
});
