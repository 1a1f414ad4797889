import { ServiceError } from "../errors.ts";
import { parseUrl } from "../net/parse-url.ts";

const maxLength = 2_048;

/** Throws if messages cannot be sent to a URL. The address is checked when a message is sent. */
export function checkWebhookUrl(text: string, privateAddresses: boolean): void {
  const problem = problemOf(text, privateAddresses);
  if (problem !== undefined) throw new ServiceError("invalid_argument", `the URL of the webhook ${problem}`);
}

function problemOf(text: string, privateAddresses: boolean): string | undefined {
  if (text.length > maxLength) return `has ${text.length} characters; at most ${maxLength} are accepted`;
  const url = parseUrl(text);
  if (!url) return "is not a valid URL; expected e.g. https://example.com/hooks/runs";
  if (url.username || url.password) return "contains a user name or password; put a token into the path instead";
  if (url.protocol === "https:" || (url.protocol === "http:" && privateAddresses)) return undefined;
  const http = "; http: is accepted only for a webhook that may lead to private addresses";
  return `begins with ${url.protocol}; expected https:${url.protocol === "http:" ? http : ""}`;
}
