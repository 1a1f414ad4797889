import { createHash, timingSafeEqual } from "node:crypto";

/** The header with which CloudFront proves to the upload server that a request came through it. Lower case. */
export const originSecretHeader = "x-origin-secret";

/** The path of the load balancer's health check. */
export const healthPath = "/health";

/**
 * A function that checks a header's value against the accepted secrets. There are two during a rotation. Takes the same
 * time for every value: it compares hashes, which have equal length, and always all of them.
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
