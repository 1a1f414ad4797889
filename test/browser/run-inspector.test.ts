import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createRun, finished } from "../integration/service.ts";
import type { ConsolePage } from "./console-page.ts";
import { ownOrganization } from "./own-service.ts";

// How the inspector shows code, long lines, files and tokens.

const program = `// <img src=x onerror=alert(1)>\nconst text = "a".repeat(300);\nconsole.log(text + " end");\n`;
const steps = [
  { name: "run_javascript", arguments: { code: program } },
  { name: "search_files", arguments: { pattern: `a long pattern that is not beside its name: ${"word ".repeat(6)}` } },
  { name: "write_file", arguments: { name: "report.md", content: "# Report\n\n- **one**\n" } },
];

let run: string;

const service = ownOrganization({
  script: (input, step) => {
    if (input === "silent") return { text: "Done.", tokens: null };
    if (input === "fail") return { status: 400, text: "The field 'temperature' is not supported." };
    const call = steps[step - 1];
    return { text: "Works.", tokens: { input: 4_000 * step, output: 90 }, ...(call && { calls: [call] }) };
  },
});

beforeAll(async () => {
  run = await service.endedRun({ name: "Code", input_text: "go" });
});

const open = (query: string): Promise<ConsolePage> =>
  service.open(`runs/${run}?${query}`, { viewport: { width: 1366, height: 900 } });

const inspector = (page: Page) => page.getByRole("complementary", { name: "Inspector" });

test("code has colours and numbers of lines, and stays text", async () => {
  const { page } = await open("at=1.1.1");
  const code = inspector(page).locator("figure").filter({ hasText: "code, 3 lines" });
  await code.locator(".code-keyword", { hasText: "const" }).waitFor();
  expect(await code.locator(".code-comment").innerText()).toBe("// <img src=x onerror=alert(1)>\n");
  expect(await code.locator("code").innerText()).toBe(program);
  expect(await code.locator(".run-lines").innerText()).toBe("1\n2\n3");
});

test("a result of one long line wraps, and its lines need not", async () => {
  const { page } = await open("at=1.1.1");
  const result = inspector(page).locator("figure").filter({ hasText: "304 characters" });
  const wrap = result.getByRole("button", { name: "Wrap" });
  await wrap.waitFor();
  const over = () => result.locator("pre").evaluate((pre) => pre.scrollWidth > pre.clientWidth);
  expect([await wrap.getAttribute("aria-pressed"), await over()]).toEqual(["true", false]);
  await wrap.click();
  await expect.poll(over).toBe(true);
  expect(await wrap.getAttribute("aria-pressed")).toBe("false");
});

test("an argument of more than 60 characters has a box of its own", async () => {
  const view = await open("at=1.2.1");
  await inspector(view.page).locator("figure").filter({ hasText: "pattern, 1 line" }).waitFor();
});

test("files are above their content in a narrow panel, and Markdown is rendered", async () => {
  const { page } = await open("at=1.3.1&tab=files");
  await inspector(page).getByRole("heading", { name: "Report", exact: true }).waitFor();
  const [list, file] = [
    await page.locator(".run-file-list").boundingBox(),
    await page.locator(".run-file").boundingBox(),
  ];
  expect(list && file && [list.y + list.height <= file.y, list.width === file.width]).toEqual([true, true]);
  await page.getByRole("button", { name: "Source" }).click();
  await inspector(page).getByText("# Report").waitFor();
});

test("the chart of tokens has amounts beside it, and those of a step under the pointer", async () => {
  const view = await open("at=1.3.1&tab=cost");
  const chart = inspector(view.page).locator("figure").filter({ hasText: "Tokens of the run" });
  await chart.getByText("40,360").waitFor(); // 4,000 × (1 + 2 + 3 + 4) in, 4 × 90 out
  expect(await chart.locator(".run-chart-amount").allInnerTexts()).toEqual(["20,000", "40,000"]);
  const box = await chart.locator("svg").boundingBox();
  await view.page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.4, (box?.y ?? 0) + 60);
  await chart.getByText("After step 2: 0 from cache, 12,000 input, 180 output").waitFor();
});

test("the HTTP request of a step is shown as it was sent, and its copy runs in a shell", async () => {
  const { page } = await open("at=1.2.1");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await inspector(page).getByRole("button", { name: "Show HTTP request" }).click();
  const section = page.locator("section").filter({ has: page.getByRole("heading", { name: "Sent to the provider" }) });
  await section.getByText("Byte for byte as it was sent.").waitFor();
  await section.getByText("HTTP 200").waitFor();
  await section.getByText("chatcmpl-1").waitFor();
  await section.getByRole("button", { name: "Copy as curl" }).click();
  await section.getByText("Copied").waitFor();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const { stdout } = await promisify(execFile)("bash", ["-c", command]);
  expect(stdout).toContain("data: [DONE]");
});

test("the HTTP request of a step that failed is shown with the provider's status", async () => {
  const failed = await createRun(service, { name: "Broken", input_text: "fail" });
  expect((await finished(service, failed)).loop_status).toBe("technical_error");
  const view = await service.open(`runs/${failed}?at=1.1`);
  await inspector(view.page).getByRole("button", { name: "Show HTTP request" }).click();
  await view.page.getByText("HTTP 400").waitFor();
  await view.page.getByText("Byte for byte as it was sent.").waitFor();
  await view.page.getByText("No complete response is recorded.").waitFor();
});

test("tokens that the provider does not report are shown as an estimate", async () => {
  const silent = await service.endedRun({ name: "Silent", input_text: "silent" });
  const { page } = await service.open(`runs/${silent}?at=1.1`);
  await inspector(page)
    .getByText(/^not reported, about [\d,]+ in, [\d,]+ out$/)
    .waitFor();
  await page.locator(".run-tokens", { hasText: /^~[\d,]+$/ }).waitFor();
  expect(await page.locator(".run-gauges").innerText()).toMatch(/~[\d,]+ of 500,000/);
  await page.goto(`${service.baseUrl}/console/runs`);
  await page
    .getByRole("row", { name: /Silent/ })
    .getByText(/^~[\d,]+$/)
    .waitFor();
});
