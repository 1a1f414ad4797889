import { createHash, createHmac } from "node:crypto";
import type { AwsCredentials } from "../sdk/sign-request.ts";

/** A form that anyone can send, to store objects whose keys begin with `prefix`. */
export interface SignedForm {
  /** Address of the bucket. Ends with a slash. */
  url: string;
  prefix: string;
  /** Fields of the form, besides `key` and `file`. */
  fields: Record<string, string>;
}

/** URLs of many objects. They differ in the key and the signature only, so 2,000 of them take 140 KB. */
export interface SignedGets {
  /** Returns the signature of one key, as 64 hex digits. The URL is `url` + key + `?` + `query` + signature. */
  signature(key: string): string;
  url: string;
  query: string;
}

/** Signs requests to one bucket without an SDK call for each. */
export interface ObjectSigner {
  /** For reading objects. `seconds`: how long a download can begin. */
  gets(seconds: number): SignedGets;
  /** For objects with up to `maxBytes` each. */
  form(prefix: string, options: { seconds: number; maxBytes: number }): SignedForm;
}

/**
 * `bucket`: its address, without a slash at the end. S3's own address has the bucket in the host name, that of a compatible
 * service in the path. Signature Version 4 in the query and in a form:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html and sigv4-HTTPPOSTForms.html.
 */
export function objectSigner(
  { region, credentials }: AwsCredentials,
  bucket: { name: string; url: string },
  now = Date.now,
): ObjectSigner {
  const { host, pathname } = new URL(bucket.url);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;

  function begin() {
    const time = new Date(now()).toISOString().replace(/[-:]|\.\d+/g, "");
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/s3/aws4_request`;
    const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
    return { time, scope, sign: (text: string): string => hmac(key, text).toString("hex") };
  }

  return {
    gets(seconds) {
      const { time, scope, sign } = begin();
      const query = Object.entries({
        "X-Amz-Algorithm": algorithm,
        "X-Amz-Credential": `${accessKeyId}/${scope}`,
        "X-Amz-Date": time,
        "X-Amz-Expires": String(seconds),
        ...(sessionToken !== undefined && { "X-Amz-Security-Token": sessionToken }),
        "X-Amz-SignedHeaders": "host",
      })
        .map(([name, value]) => `${name}=${encoded(value)}`)
        .join("&");
      const root = pathname === "/" ? "/" : `${pathname}/`;
      return {
        url: `${bucket.url}/`,
        query: `${query}&X-Amz-Signature=`,
        signature(key) {
          const request = ["GET", root + encodedKey(key), query, `host:${host}`, "", "host", "UNSIGNED-PAYLOAD"];
          return sign([algorithm, time, scope, sha256(request.join("\n"))].join("\n"));
        },
      };
    },

    form(prefix, { seconds, maxBytes }) {
      const { time, scope, sign } = begin();
      const signed = {
        "x-amz-algorithm": algorithm,
        "x-amz-credential": `${accessKeyId}/${scope}`,
        "x-amz-date": time,
        ...(sessionToken !== undefined && { "x-amz-security-token": sessionToken }),
      };
      const policy = {
        expiration: new Date(now() + seconds * 1_000).toISOString(),
        conditions: [
          { bucket: bucket.name },
          ["starts-with", "$key", prefix],
          ["content-length-range", 0, maxBytes],
          ...Object.entries(signed).map(([name, value]) => ({ [name]: value })),
        ],
      };
      const text = Buffer.from(JSON.stringify(policy)).toString("base64");
      return { url: `${bucket.url}/`, prefix, fields: { ...signed, policy: text, "x-amz-signature": sign(text) } };
    },
  };
}

const algorithm = "AWS4-HMAC-SHA256";

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A key as a path. */
function encodedKey(key: string): string {
  return key.split("/").map(encoded).join("/");
}

/** As AWS encodes: everything but letters, digits and `-._~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
