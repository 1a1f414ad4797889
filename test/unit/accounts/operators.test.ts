import { expect, test } from "vitest";
import { authenticateOperator, createOperator, revokeOperator } from "../../../src/accounts/operators.ts";
import { newToken } from "../../../src/accounts/token.ts";
import type { Accounts, Operator } from "../../../src/accounts/account-types.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";

function newAccounts(): Accounts {
  return fakeAwsStores().accounts;
}

test.each([
  [" ", /^the operator's name is blank$/],
  ["Mi\u202era", /^the operator's name contains the character U\+202E; control and format characters are not accepted/],
  ["Mira\nroot", /^the operator's name contains the character U\+000A;/],
  ["x".repeat(201), /^the operator's name has 201 characters; at most 200 are accepted$/],
  [newToken("ao").token, /^the operator's name contains an API key or an operator token/],
])("the name %j is rejected and not repeated", async (name, message) => {
  await expect(createOperator(newAccounts(), { name, role: "operator" })).rejects.toThrow(message);
});

test("malformed tokens, API keys and unknown tokens are rejected; only a well-formed one is looked up", async () => {
  let lookUps = 0;
  const accounts: Accounts = {
    ...newAccounts(),
    findOperator: async () => {
      lookUps++;
      return undefined;
    },
  };
  const { token } = newToken("ao");
  const message = async (text: string | undefined): Promise<string> =>
    authenticateOperator(accounts, text).then(
      () => "accepted",
      (error: Error) => error.message,
    );
  expect(await message(undefined)).toBe("Missing operator token (ao_…)");
  const key = newToken("ak").token;
  expect(await message(key)).toBe("This is an API key (ak_…), which is for /v1; here, send an operator token (ao_…)");
  for (const text of ["", "x", `${token}x`, token.toUpperCase(), `ao_${"é".repeat(49)}`]) {
    expect(await message(text)).toBe("Invalid operator token: it is unknown or was revoked");
  }
  expect(lookUps).toBe(0);
  expect(await message(token)).toBe("Invalid operator token: it is unknown or was revoked");
  expect(lookUps).toBe(1);
});

test("a prefix of several operators revokes none of them", async () => {
  const accounts = newAccounts();
  const operators = ["a", "b"].map((letter): Operator => {
    const { hash, hint } = newToken("ao");
    return { id: `0123456${letter}`, hash, hint, name: letter, role: "viewer", enabled: true, createdAt: 1 };
  });
  for (const each of operators) await accounts.createOperator({ ...each, id: `01234567${each.name}` });
  await expect(revokeOperator(accounts, "01234567")).rejects.toMatchObject({
    code: "operator_ambiguous",
    message: '2 operators start with "01234567"',
  });
  expect(await revokeOperator(accounts, "01234567a")).toMatchObject({ name: "a", enabled: false });
});
