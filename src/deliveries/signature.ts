import { createHmac } from "node:crypto";

/** What a signature covers. `timestamp`: seconds since 1970, as in the header. */
export interface SignedMessage {
  id: string;
  timestamp: number;
  body: string;
}

/**
 * The header `webhook-signature` of Standard Webhooks 1.0 (https://www.standardwebhooks.com): one HMAC-SHA256 for each
 * secret (`whsec_` and base 64), so that receivers can verify a message with any of them.
 */
export function signatureHeader(secrets: string[], { id, timestamp, body }: SignedMessage): string {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return signatures.join(" ");
}
