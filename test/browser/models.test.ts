import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { httpServer } from "../support/http-server.ts";
import { chunk, send, startStream, usageChunk } from "../providers/chat-completions-server.ts";
import { eventsOf, messageItem, sendEvents } from "../providers/responses-server.ts";
import { own, ownService } from "./own-service.ts";

const key = "sk-pasted-0123456789";

/** A server that lists two models and answers, to callers with the key. */
const keyed = own(() =>
  httpServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${key}`) {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "Wrong key." } }));
    } else if (request.url === "/v1/models") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: [{ id: "zeta-9b" }, { id: "alpha-3" }] }));
    } else if (request.url === "/v1/responses") {
      startStream(response);
      sendEvents(response, ...eventsOf([messageItem("msg_1", "OK")]));
      response.end();
    } else {
      startStream(response);
      send(response, chunk({ content: "OK" }), chunk({}, { finish_reason: "stop" }), usageChunk, "[DONE]");
      response.end();
    }
  }),
);

// The variable may be used as a secret, and is not set.
const args = () => ["--allow-secret", "NOT_SET_HERE"];
const service = ownService({ script: () => ({ text: "OK" }), args });

test("all model calls of an organization are stopped and resumed, after a question", async () => {
  const { page } = await service.open("models");
  await page.getByRole("button", { name: "Stop all model calls" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.innerText()).toContain("Turns that need a model fail and can be retried later");
  await dialog.getByRole("button", { name: "Stop model calls" }).click();
  await page.getByText("Model calls have been stopped since").waitFor();
  expect(await page.getByRole("button", { name: "Stop all model calls" }).count()).toBe(0);
  await page.getByRole("button", { name: "Resume model calls" }).click();
  await dialog.getByRole("button", { name: "Resume model calls" }).click();
  await page.getByRole("button", { name: "Stop all model calls" }).waitFor();
});

test("the result of a test is shown with the settings that were tested, and only with them", async () => {
  const { page } = await service.open("models");
  const secret = page.getByLabel("Secret");
  const failure = page.getByRole("alert");
  await secret.fill("env:NOT_SET_HERE");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await failure.getByText("model_configuration").waitFor();
  expect(await failure.innerText()).toContain("Correct the settings, then test them again.");
  expect(await failure.innerText()).toContain("The secret is env:NOT_SET_HERE.");
  await secret.fill("");
  await failure.waitFor({ state: "detached" });
  await secret.fill("env:NOT_SET_HERE");
  await failure.waitFor();
  await secret.fill("");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText(/m answered/).waitFor();
  expect(await failure.count()).toBe(0);
});

test("a pasted key is stored for its server alone, lists the models, and is never shown again", async () => {
  const { page } = await service.open("models");
  await page.getByLabel("Base URL").fill(`${keyed.url}/v1`);
  await page.getByRole("button", { name: "Paste a key…" }).click();
  const entry = page.getByLabel("Key", { exact: true });
  expect(await entry.getAttribute("type")).toBe("password");
  await entry.fill(`${key} and more`);
  await page.getByRole("button", { name: "Store key" }).click();
  await page.getByText("printable ASCII characters without spaces, received 29 characters").waitFor();
  await entry.fill(key);
  await page.keyboard.press("Enter");
  await entry.waitFor({ state: "detached" });
  const location = await page.getByLabel("Secret").inputValue();
  expect(location).toMatch(/^file:secrets\/[0-9a-f-]{36}\/model-key$/);

  await page.getByLabel("Model", { exact: false }).first().fill("");
  await page.getByRole("button", { name: "List models" }).click();
  await page.getByText("The server offers 2 models").waitFor();
  expect(await page.locator("datalist option[value='alpha-3'], datalist option[value='zeta-9b']").count()).toBe(2);
  await page
    .getByRole("textbox", { name: "Model" })
    .or(page.getByRole("combobox", { name: "Model" }))
    .fill("alpha-3");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText(/alpha-3 answered/).waitFor();
  await page.getByRole("button", { name: "Save model" }).click();
  await page.getByText("Saved the model of").waitFor();

  const stored = statSync(join(service.dataDir, location.slice("file:".length)));
  expect(stored.mode & 0o777).toBe(0o600);
  await page.reload();
  await page.getByLabel("Secret").waitFor();
  expect(await page.content()).not.toContain(key);
  // Elsewhere, the key is refused.
  await page.getByLabel("Base URL").fill(service.modelUrl);
  await page.getByLabel("Secret").fill(location);
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText("may not be sent to this host").waitFor();
  expect(service.errors()).not.toContain(key);
});

test("a model over the Responses API is listed, tested and saved", async () => {
  const { page } = await service.open("models");
  await page.getByRole("button", { name: "OpenAI Responses" }).click();
  expect(await page.getByLabel("Base URL").inputValue()).toBe("https://api.openai.com/v1");
  await page.getByLabel("Base URL").fill(`${keyed.url}/v1`);
  await page.getByRole("button", { name: "Paste a key…" }).click();
  await page.getByLabel("Key", { exact: true }).fill(key);
  await page.keyboard.press("Enter");
  await page.getByLabel("Key", { exact: true }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "List models" }).click();
  await page.getByText("The server offers 2 models").waitFor();
  await page
    .getByRole("textbox", { name: "Model" })
    .or(page.getByRole("combobox", { name: "Model" }))
    .fill("alpha-3");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText(/alpha-3 answered/).waitFor();
  await page.getByRole("button", { name: "Save model" }).click();
  await page.getByText("Saved the model of").waitFor();
  await page.reload();
  await expect.poll(() => page.getByLabel("Provider").inputValue()).toBe("openai-responses");
});
