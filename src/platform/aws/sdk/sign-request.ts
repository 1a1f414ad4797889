import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";

/** A region and credentials for it. */
export interface AwsCredentials {
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

interface UnsignedRequest {
  aws: AwsCredentials;
  service: string;
  method: string;
  /** Without a query. */
  url: URL;
  body: string;
  /** Further headers, with names in lower case. */
  headers?: Record<string, string>;
}

/** Headers of a request with AWS Signature Version 4, for calls that are not worth loading an SDK client. */
export async function signedHeaders(request: UnsignedRequest, now = new Date()): Promise<Record<string, string>> {
  const { aws, service, method, url, body, headers } = request;
  const signer = new SignatureV4({ ...aws, service, sha256: Sha256, applyChecksum: false });
  const signed = await signer.sign(
    {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      headers: { "content-type": "application/json", host: url.host, ...headers },
      body,
    },
    { signingDate: now },
  );
  return signed.headers;
}

/** SHA-256 of node:crypto, or HMAC with a secret, in the form that the signer expects. */
class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    const key = secret === undefined || typeof secret === "string" ? secret : Buffer.from(secret as Uint8Array);
    this.#hash = key === undefined ? createHash("sha256") : createHmac("sha256", key);
  }

  update(chunk: string | Uint8Array): void {
    this.#hash.update(chunk);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {} // the signer uses each hash once
}
