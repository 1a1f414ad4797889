import { createHash, timingSafeEqual } from "node:crypto";

/** The header by which CloudFront shows an origin that a request came through it. Lower case, as node:http has it. */
export const originSecretHeader = "x-origin-secret";

/** Where a load balancer asks an origin whether it is well. */
export const healthPath = "/health";

/**
 * Whether a header's value is one of the accepted secrets: while they rotate there are two. Takes the same
 * time whatever is received: hashes, which are of equal length, are compared, and all of them.
 */
export function acceptsSecret(accepted: string[]): (received: string | string[] | undefined) => boolean {
  const hashes = accepted.map(sha256);
  return (received) => {
    const hash = sha256(String(received));
    return hashes.map((each) => timingSafeEqual(each, hash)).includes(true);
  };
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
