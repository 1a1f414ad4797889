import { timingSafeEqual } from "node:crypto";
import type { OperatorPrincipal } from "../../src/accounts/operators.ts";
import { newToken, tokenHash } from "../../src/accounts/token.ts";
import { bearerOf } from "../../src/http/middleware.ts";
import { commandLine } from "../../src/command-line.ts";
import { ServiceError } from "../../src/errors.ts";
import type { Authenticate } from "../../src/manage/router.ts";

/** A token that is kept in memory, and an authentication that accepts only this one, for this operator. */
export function processToken(operator: OperatorPrincipal): { token: string; authenticate: Authenticate } {
  const { token, hash } = newToken("ao");
  const expected = Buffer.from(hash);
  return {
    token,
    authenticate: async ({ headers }) => {
      const received = bearerOf(headers);
      if (received === undefined) throw new ServiceError("key_missing", "Missing operator token (ao_…)");
      const receivedHash = Buffer.from(tokenHash("ao", received) ?? "");
      if (receivedHash.length !== expected.length || !timingSafeEqual(receivedHash, expected)) {
        throw new ServiceError(
          "key_invalid",
          `The token belongs to another process; open the link that ${commandLine("console")} printed`,
        );
      }
      return operator;
    },
  };
}
