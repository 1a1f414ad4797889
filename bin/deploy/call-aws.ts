import { signedHeaders } from "../../src/platform/aws/sdk/sign-request.ts";
import type { Aws } from "../aws.ts";

interface Call {
  method?: "GET" | "POST";
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends one request to a service of AWS whose SDK client is not installed. Rejects with the service's error. */
export async function callAws({ region, endpoint, cloudFormation }: Aws, service: string, call: Call): Promise<string> {
  const { method = "POST", path = "/", headers = {}, body = "" } = call;
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const url = new URL(path, endpoint ?? `https://${service}.${region}.${domain}`);
  const aws = { region, credentials: await cloudFormation.config.credentials() };
  const response = await fetch(url, {
    method,
    headers: await signedHeaders({ aws, service, method, url, body, headers }),
    signal: AbortSignal.timeout(10_000),
    ...(method === "POST" && { body }),
  });
  const text = await response.text();
  if (!response.ok) throw errorOf(response, text);
  return text;
}

/** Sends one request in AWS's JSON protocol. `operation`: with the version of the API. */
export async function callAwsJson(aws: Aws, service: string, operation: string, input: object): Promise<unknown> {
  const headers = { "content-type": "application/x-amz-json-1.1", "x-amz-target": operation };
  return JSON.parse(await callAws(aws, service, { body: JSON.stringify(input), headers }));
}

/** AWS names an error in a header, in `__type` of a JSON body, or in `Code` of an XML body. */
function errorOf({ status, headers }: Response, text: string): Error {
  const [, code] = /"__type":\s*"(?:[^"]*#)?(\w+)/.exec(text) ?? /<Code>([^<]+)</.exec(text) ?? [];
  const [, message] = /"[Mm]essage":\s*"([^"]*)"/.exec(text) ?? /<Message>([^<]*)</.exec(text) ?? [];
  const name = headers.get("x-amzn-errortype")?.split(":")[0] ?? code ?? `status ${status}`;
  return Object.assign(new Error(message ?? text.slice(0, 200)), { name });
}
