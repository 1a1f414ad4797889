import { isIP } from "node:net";
import { ServiceError } from "../errors.ts";
import { type AddressScope, describeScope, isAllowedAddress } from "../net/addresses.ts";
import { parseUrl } from "../net/parse-url.ts";
import { maxWebhookUrl } from "./account-limits.ts";

/** What a webhook's URL may be. */
export interface WebhookUrlRules {
  /** Whether `http:` and `addresses` are accepted; otherwise, `https:` to public addresses only. */
  privateAddresses: boolean;
  /** Addresses that the platform lets webhooks with private addresses connect to. Default: `private`. */
  addresses?: AddressScope | undefined;
}

/** Throws if messages cannot be sent to a URL. The addresses of a name are checked when a message is sent. */
export function checkWebhookUrl(text: string, rules: WebhookUrlRules): void {
  const problem = problemOf(text, rules);
  if (problem !== undefined) throw new ServiceError("invalid_argument", `the URL of the webhook ${problem}`);
}

function problemOf(text: string, { privateAddresses, addresses = "private" }: WebhookUrlRules): string | undefined {
  if (text.length > maxWebhookUrl) return `has ${text.length} characters; at most ${maxWebhookUrl} are accepted`;
  const url = parseUrl(text);
  if (!url) return "is not a valid URL; expected e.g. https://example.com/hooks/runs";
  if (url.username || url.password) return "contains a user name or password; put a token into the path instead";
  if (url.protocol !== "https:" && (url.protocol !== "http:" || !privateAddresses)) {
    const http = "; http: is accepted only for a webhook that may lead to private addresses";
    return `begins with ${url.protocol}; expected https:${url.protocol === "http:" ? http : ""}`;
  }
  const scope = privateAddresses ? addresses : "public";
  const address = addressOf(url.hostname);
  if (address === undefined || isAllowedAddress(address, scope)) return undefined;
  const advice = isAllowedAddress(address, addresses)
    ? "an operator allows private addresses: webhook set --private-addresses"
    : `on one machine, allow it with npm start -- --allow-address ${address}, and webhook set --private-addresses`;
  return `leads to ${address}, which is not an address of ${describeScope(scope)}; ${advice}`;
}

/** The IP address that a host certainly leads to. Undefined: its name must be looked up. */
function addressOf(hostname: string): string | undefined {
  const host = hostname.replace(/^\[|\]$|\.$/g, "");
  if (/(^|\.)localhost$/.test(host)) return "127.0.0.1";
  return isIP(host) === 0 ? undefined : host;
}
