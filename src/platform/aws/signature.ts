import { createHash, createHmac } from "node:crypto";

/** Who calls AWS, and where. */
export interface Caller {
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

interface Unsigned {
  caller: Caller;
  service: string;
  method: string;
  /** Its path has letters, digits, `/`, `-`, `_` and `.` only, which need no encoding; it has no query. */
  url: URL;
  body: string;
  /** Further headers, names in lower case. They are signed with the rest. */
  headers?: Record<string, string>;
  now?: Date;
}

/** The headers of a request that is signed with AWS Signature Version 4: the few calls for which no SDK client is loaded. */
export function signedHeaders({
  caller,
  service,
  method,
  url,
  body,
  headers: further = {},
  now = new Date(),
}: Unsigned): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = caller.credentials;
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const scope = [time.slice(0, 8), caller.region, service, "aws4_request"];
  const headers: Record<string, string> = {
    "content-type": "application/json",
    host: url.host,
    "x-amz-date": time,
    ...(sessionToken ? { "x-amz-security-token": sessionToken } : {}),
    ...further,
  };
  const names = Object.keys(headers).toSorted();
  const canonical = [
    method,
    url.pathname,
    "",
    ...names.map((name) => `${name}:${headers[name] ?? ""}`),
    "",
    names.join(";"),
    sha256(body),
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(canonical)].join("\n");
  const key = scope.reduce<Buffer>((secret, part) => hmac(secret, part), Buffer.from(`AWS4${secretAccessKey}`));
  const signature = hmac(key, text).toString("hex");
  const credential = `${accessKeyId}/${scope.join("/")}`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { ...headers, authorization };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
