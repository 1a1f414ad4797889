import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { keyHash, newApiKey } from "../../../src/accounts/api-key.ts";

test("a new key is ak_ with 256 random bits and a checksum; its hash is SHA-256", () => {
  const keys = Array.from({ length: 200 }, newApiKey);
  expect(new Set(keys.map(({ key }) => key)).size).toBe(200);
  for (const { key, hash, hint } of keys) {
    expect(key).toMatch(/^ak_[0-9A-Za-z]{49}$/);
    expect(hash).toBe(createHash("sha256").update(key).digest("hex"));
    expect(keyHash(key)).toBe(hash);
    expect(key.startsWith(hint)).toBe(true);
    expect(hint.length).toBeLessThan(10);
  }
});

test("the checksum detects any single mistyped character", () => {
  const { key } = newApiKey();
  for (let i = 0; i < key.length; i++) {
    const other = key[i] === "x" ? "y" : "x";
    expect(keyHash(key.slice(0, i) + other + key.slice(i + 1))).toBeUndefined();
  }
});

test.each(["", "ak_", "ak_short", "AK_", "ak_" + "0".repeat(50), "ak_" + "é".repeat(49)])("%j is not a key", (text) => {
  expect(keyHash(text)).toBeUndefined();
});
