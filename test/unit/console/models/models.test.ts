import { expect, test } from "vitest";
import { parseModelSettings } from "../../../../src/accounts/model-settings.ts";
import { bodyOf } from "../../../../console/form/body.ts";
import type { Draft } from "../../../../console/form/json.ts";
import {
  clearedSecret,
  formOf,
  missingSettings,
  modelFields,
  withPreset,
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

const bodyOfModel = (draft: Draft) => bodyOf(draft, modelFields);
const set = (draft: Draft, name: string, value: string | undefined): Draft => withSetting(stored, draft, [name], value);

test("every preset with a model's name is accepted by the service", () => {
  for (const preset of presets) {
    const begun = withPreset(formOf(null), preset);
    const form = { ...begun, ...(begun["provider"] !== "demo" && { model: "some-model" }) };
    const { provider, base_url, model, secret, region } = bodyOfModel(form);
    const given = { provider, baseUrl: base_url, model, secret, region };
    const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
    expect(missingSettings(form)).toEqual([]);
    expect(parseModelSettings(settings, labels, true)).toMatchObject({ provider });
  }
});

test("a stored model is read and written without a change, whatever stands around a text", () => {
  const { enabled: _, ...settings } = stored;
  expect(bodyOfModel(formOf(stored))).toEqual(settings);
  expect(bodyOfModel(set(formOf(stored), "model", " qwen4 "))).toEqual({ ...settings, model: "qwen4" });
  expect(bodyOfModel(formOf({ ...stored, enabled: false }))).toMatchObject({ enabled: false });
});

test("another address clears the stored secret and says why; the stored address brings it back", () => {
  const moved = set(formOf(stored), "base_url", "https://two.example.com/v1");
  expect(bodyOfModel(moved)).toMatchObject({ secret: null, compat: null });
  expect(clearedSecret(stored, moved)).toContain("The secret was cleared");
  expect(clearedSecret(stored, set(moved, "secret", "env:TWO_KEY"))).toBeUndefined();
  const back = set(moved, "base_url", "https://one.example.com/v1");
  expect(clearedSecret(stored, back)).toBeUndefined();
  expect(back).toEqual(formOf(stored));
});

test("a secret that was named for the new server stays while its address is typed", () => {
  const named = set(set(formOf(stored), "base_url", "https://t"), "secret", "env:TWO_KEY");
  expect(set(named, "base_url", "https://tw")).toMatchObject({ secret: "env:TWO_KEY" });
});

test("another provider has other settings, and its required ones are missing", () => {
  const form = set(formOf(stored), "provider", "bedrock");
  expect(bodyOfModel(form)).toMatchObject({ secret: null, compat: null });
  expect(missingSettings(form)).toEqual(["region"]);
  const demo = set(form, "provider", "demo");
  expect(demo).toEqual({ provider: "demo" });
  expect(set(demo, "provider", "openai-compatible")).toMatchObject({
    base_url: stored.base_url,
    secret: stored.secret,
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
