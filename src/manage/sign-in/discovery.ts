import type { SignIn, SignInEndpoints } from "./sign-in-types.ts";

/** What the page needs to sign a person in with an OpenID Connect provider. */
export interface OidcSignIn {
  sign_in: "oidc";
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  client_id: string;
  scope: string;
  /** Ends the provider's session. Null: the provider has no such address. */
  sign_out_url: string | null;
}

/** Endpoints may change when the provider is reconfigured. */
const cacheMilliseconds = 60 * 60_000;
/** A provider that does not respond is not asked for each page that opens. */
const failureMilliseconds = 10_000;
const timeoutMilliseconds = 5_000;

/**
 * Returns a function that resolves with what the page needs. Endpoints that the settings do not contain are read from the
 * issuer's discovery document (OpenID Connect Discovery 1.0) and cached for an hour. It rejects if that cannot be read, and
 * does not retry for 10 seconds. Concurrent calls share one request.
 */
export function oidcSignIn(
  { issuer, clientId, scope, endpoints }: SignIn,
  { fetch = globalThis.fetch, now = Date.now }: { fetch?: typeof globalThis.fetch; now?: () => number } = {},
): () => Promise<OidcSignIn> {
  let cached: { endpoints: Promise<SignInEndpoints>; until: number } | undefined;

  function discovered(): Promise<SignInEndpoints> {
    if (cached !== undefined && now() < cached.until) return cached.endpoints;
    const entry = { endpoints: discover(issuer, clientId, fetch), until: now() + cacheMilliseconds };
    entry.endpoints.catch(() => (entry.until = now() + failureMilliseconds));
    cached = entry;
    return entry.endpoints;
  }

  return async () => {
    const { authorization, token, signOut } = endpoints ?? (await discovered());
    return {
      sign_in: "oidc",
      issuer,
      authorization_endpoint: authorization,
      token_endpoint: token,
      client_id: clientId,
      scope,
      sign_out_url: signOut ?? null,
    };
  };
}

async function discover(issuer: string, clientId: string, fetch: typeof globalThis.fetch): Promise<SignInEndpoints> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(timeoutMilliseconds) });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
  const document = (await response.json()) as Record<string, unknown>;
  if (document["issuer"] !== issuer) {
    throw new Error(`${url} names the issuer ${JSON.stringify(document["issuer"])}; consoleIssuer is ${issuer}`);
  }
  const endpoint = (name: string): string | undefined => {
    const value = document[name];
    if (value === undefined) return undefined;
    if (typeof value === "string" && URL.parse(value)?.protocol === "https:") return value;
    throw new Error(`${url} has ${name} ${JSON.stringify(value)}; expected an https URL`);
  };
  const [authorization, token] = [endpoint("authorization_endpoint"), endpoint("token_endpoint")];
  if (authorization === undefined || token === undefined) {
    throw new Error(`${url} has no authorization_endpoint or no token_endpoint`);
  }
  const signOut = endpoint("end_session_endpoint");
  return { authorization, token, ...(signOut && { signOut: withParameter(signOut, "client_id", clientId) }) };
}

function withParameter(address: string, name: string, value: string): string {
  const url = new URL(address);
  url.searchParams.set(name, value);
  return url.href;
}
