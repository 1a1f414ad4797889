import { expect, test } from "vitest";
import { parseModelSettings } from "../../../../src/accounts/model-settings.ts";
import {
  formOf,
  isChanged,
  missingSettings,
  toSettings,
  withPreset,
  withServer,
  withSetting,
} from "../../../../console/models/model-form.ts";
import { type Model, presets } from "../../../../console/models/providers.ts";
import { secretHelp } from "../../../../console/models/secret-help.ts";

const stored: Model = {
  provider: "openai-compatible",
  enabled: true,
  model: "qwen3",
  base_url: "https://one.example.com/v1",
  secret: "env:ONE_KEY",
  region: null,
  compat: { supportsStreaming: false },
  idle_seconds: 90,
};

const labels = { provider: "p", baseUrl: "b", model: "m", secret: "s", region: "r", compat: "c", idleSeconds: "i" };

test("every preset with a model's name is accepted by the service", () => {
  for (const preset of presets) {
    const form = withSetting(withPreset(formOf(null), preset), "model", "some-model");
    const { provider, enabled, base_url, model, secret, region } = toSettings(form);
    const given = { provider, baseUrl: base_url, model, secret, region };
    const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
    expect(missingSettings(form)).toEqual([]);
    expect(parseModelSettings(settings, labels, enabled ?? true)).toMatchObject({ provider });
  }
});

test("a stored model is read and written without a change", () => {
  const form = formOf(stored);
  expect(isChanged(form, stored)).toBe(false);
  expect(toSettings(form)).toEqual({
    provider: "openai-compatible",
    enabled: true,
    base_url: "https://one.example.com/v1",
    model: "qwen3",
    secret: "env:ONE_KEY",
    compat: { supportsStreaming: false },
    idle_seconds: 90,
  });
  expect(isChanged(withSetting(form, "model", "qwen4"), stored)).toBe(true);
});

test("only digits can be entered as seconds; none are the default", () => {
  const form = withSetting(formOf(stored), "idle_seconds", "2 min 0");
  expect(toSettings(form)).toMatchObject({ idle_seconds: 20 });
  expect(toSettings(withSetting(form, "idle_seconds", ""))).not.toHaveProperty("idle_seconds");
});

test("another address clears the stored secret and says why; the stored address brings it back", () => {
  const moved = withServer(formOf(stored), stored, { base_url: "https://two.example.com/v1" });
  expect(moved).toMatchObject({ settings: { secret: "" }, compat: null });
  expect(moved.cleared).toContain("The secret was cleared");
  expect(withSetting(moved, "secret", "env:TWO_KEY").cleared).toBeUndefined();
  const back = withServer(moved, stored, { base_url: "https://one.example.com/v1" });
  expect(back).toMatchObject({ settings: { secret: "env:ONE_KEY" }, cleared: undefined });
  expect(isChanged(back, stored)).toBe(false);
});

test("a secret that was named for the new server stays while its address is typed", () => {
  const named = withSetting(withServer(formOf(stored), stored, { base_url: "https://t" }), "secret", "env:TWO_KEY");
  expect(withServer(named, stored, { base_url: "https://tw" }).settings.secret).toBe("env:TWO_KEY");
});

test("another provider has other settings, and its required ones are missing", () => {
  const form = withServer(formOf(stored), stored, { provider: "bedrock" });
  expect(toSettings(form)).not.toHaveProperty("secret");
  expect(missingSettings(form)).toEqual(["region"]);
  expect(toSettings(withServer(formOf(stored), stored, { provider: "demo" }))).toEqual({
    provider: "demo",
    enabled: true,
  });
});

test("a secret that is not accepted comes with the command that allows it", () => {
  expect(secretHelp("env:OPENAI_API_KEY", ["env:OPENAI_API_KEY"], "local", "npm start --")).toBeUndefined();
  expect(secretHelp("env:OTHER", ["env:OPENAI_API_KEY"], "local", "npm start --")).toContain(
    "npm start -- --allow-secret OTHER",
  );
  expect(secretHelp("sk-123", ["env:OPENAI_API_KEY"], "local", "npm start --")).toContain("not the key itself");
  expect(secretHelp("", null, "local", "npm start --")).toBeUndefined();
});
