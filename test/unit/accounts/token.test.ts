import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { containsToken, newToken, redactTokens, redactWholeTokens, tokenHash } from "../../../src/accounts/token.ts";

describe.each([
  ["ak", "ao"],
  ["ao", "ak"],
] as const)("%s", (kind, other) => {
  test("a new token has 256 random bits and a checksum; its hash is SHA-256", () => {
    const tokens = Array.from({ length: 200 }, () => newToken(kind));
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(200);
    for (const { token, hash, hint } of tokens) {
      expect(token).toMatch(new RegExp(`^${kind}_[0-9A-Za-z]{49}$`));
      expect(hash).toBe(createHash("sha256").update(token).digest("hex"));
      expect(tokenHash(kind, token)).toBe(hash);
      expect(tokenHash(other, token)).toBeUndefined();
      expect(token.startsWith(hint)).toBe(true);
      expect(hint.length).toBeLessThan(10);
    }
  });

  test("the checksum detects any single mistyped character", () => {
    const { token } = newToken(kind);
    for (let i = 0; i < token.length; i++) {
      const mistyped = token[i] === "x" ? "y" : "x";
      expect(tokenHash(kind, token.slice(0, i) + mistyped + token.slice(i + 1))).toBeUndefined();
    }
  });

  test.each(["", "_", "_short", "_" + "0".repeat(50), "_" + "é".repeat(49)])("the kind with %j is not one", (text) => {
    expect(tokenHash(kind, kind + text)).toBeUndefined();
    expect(tokenHash(kind, (kind + text).toUpperCase())).toBeUndefined();
  });

  test("a text is recognized and printed without its token", () => {
    const { token, hint } = newToken(kind);
    expect([containsToken(`x ${token}`), containsToken(hint)]).toEqual([true, false]);
    expect(redactTokens(`--key ${token}!`)).toBe(`--key ${hint}…!`);
    expect(redactWholeTokens(`${token}${token}`)).toBe(`${hint}…${hint}…`);
    expect(redactWholeTokens(`${token.slice(0, 30)} we${kind}_passwords ${hint}`)).toBe(
      `${hint}… we${kind}_passwords ${hint}`,
    );
  });
});
