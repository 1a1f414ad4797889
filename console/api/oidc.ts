// Signs a person in with an OpenID Connect provider: authorization code flow with PKCE (RFC 7636), for a public client.
// Tokens are kept in memory only. What has to outlast the visit to the provider's page is in sessionStorage, and removed
// when it is read.

/** `/console/config.json` of a console whose people sign in with a provider. */
export interface OidcConfig {
  sign_in: "oidc";
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  client_id: string;
  scope: string;
  sign_out_url: string | null;
}

export interface Tokens {
  /** The ID token. The API checks it, and reads the person's role from it. */
  bearer: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** Absent: the person signs in again when the token has expired. */
  refreshToken?: string | undefined;
}

/** The provider or this page refused a sign-in. The message is for the person. */
export class SignInError extends Error {}

/** A sign-in between the two visits of this page. */
interface Pending {
  state: string;
  nonce: string;
  verifier: string;
  /** Path, query and fragment of the page that the person asked for. */
  returnTo: string;
}

/** The parts of a browser's window that a sign-in uses. */
export interface BrowserWindow {
  location: { href: string; pathname: string; search: string; hash: string; assign(url: string): void };
  history: { replaceState(data: null, unused: string, url: string): void };
  sessionStorage: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
}

const pendingKey = "sign-in";
/** A token is renewed this long before it expires: clocks differ, and requests take time. */
const earlyMilliseconds = 60_000;

/** Where the provider returns to. It is registered with the provider, so it is the same for every page. */
function redirectUri({ location }: BrowserWindow): string {
  return new URL("/console/", location.href).href;
}

/** Goes to the provider's page. `returnTo`: the page to show after the sign-in. Default: this one. */
export async function startSignIn(browser: BrowserWindow, config: OidcConfig, returnTo?: string): Promise<void> {
  const { location, sessionStorage } = browser;
  const pending: Pending = {
    state: randomText(),
    nonce: randomText(),
    verifier: randomText(),
    returnTo: returnTo ?? location.pathname + location.search + location.hash,
  };
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  const url = new URL(config.authorization_endpoint);
  const parameters = {
    response_type: "code",
    client_id: config.client_id,
    redirect_uri: redirectUri(browser),
    scope: config.scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await challengeOf(pending.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url.href);
}

/**
 * Finishes the sign-in if the provider has just returned to this page, and removes the code from the address. Undefined: it
 * has not. Rejects with `SignInError` if the provider refused the person, or if this tab did not start the sign-in.
 */
export async function finishSignIn(
  browser: BrowserWindow,
  config: OidcConfig,
): Promise<{ tokens: Tokens; returnTo: string } | undefined> {
  const { location, history } = browser;
  const answer = new URLSearchParams(location.search);
  const [code, state, error] = ["code", "state", "error"].map((name) => answer.get(name));
  if (location.pathname !== "/console/" || state == null || (code == null && error == null)) return undefined;
  history.replaceState(null, "", "/console/");
  const pending = takePending(browser);
  if (pending?.state !== state || (answer.get("iss") ?? config.issuer) !== config.issuer) {
    throw new SignInError("This tab did not start the sign-in. Sign in again.");
  }
  if (code == null) {
    const reason = answer.get("error_description") ?? error ?? "";
    throw new SignInError(`The sign-in was refused: ${reason.slice(0, 300)}`);
  }
  const response = await requestTokens(config, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri(browser),
    code_verifier: pending.verifier,
  });
  return { tokens: tokensOf(config, response, pending.nonce), returnTo: safePath(pending.returnTo) };
}

/** Whether a request should wait for new tokens. */
export function isExpiring({ expiresAt }: Tokens, now = Date.now()): boolean {
  return expiresAt - now < earlyMilliseconds;
}

/** Gets new tokens without the person. Rejects with `SignInError` if the person has to sign in again. */
export async function renew(config: OidcConfig, { refreshToken }: Tokens): Promise<Tokens> {
  if (refreshToken === undefined) throw new SignInError("Your sign-in has expired. Sign in again.");
  const response = await requestTokens(config, { grant_type: "refresh_token", refresh_token: refreshToken });
  return tokensOf(config, { refresh_token: refreshToken, ...response });
}

type TokenResponse = Record<string, unknown>;

async function requestTokens(config: OidcConfig, parameters: Record<string, string>): Promise<TokenResponse> {
  const response = await fetch(config.token_endpoint, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: config.client_id, ...parameters }),
    credentials: "omit",
  });
  const body = (await response.json().catch(() => ({}))) as TokenResponse;
  if (response.ok) return body;
  // 4xx: the code or the refresh token is not valid (any more). Otherwise, a later attempt may succeed.
  const text = [body["error_description"], body["error"]].find((each) => typeof each === "string");
  const reason = (text ?? `status ${response.status}`).slice(0, 300);
  if (response.status < 500) throw new SignInError(`The sign-in has ended (${reason}). Sign in again.`);
  throw new Error(`The sign-in service failed (${reason}).`);
}

/** Checks the ID token as OpenID Connect Core 3.1.3.7 asks of a client that got it from the provider directly. */
function tokensOf(config: OidcConfig, response: TokenResponse, nonce?: string): Tokens {
  const { id_token: bearer, refresh_token: refreshToken } = response;
  const claims = typeof bearer === "string" ? claimsOf(bearer) : undefined;
  const isForUs = [claims?.["aud"]].flat().includes(config.client_id) && claims?.["iss"] === config.issuer;
  if (typeof bearer !== "string" || !isForUs || (nonce !== undefined && claims["nonce"] !== nonce)) {
    throw new SignInError("The sign-in service returned a token that is not for this sign-in. Sign in again.");
  }
  return {
    bearer,
    expiresAt: Number(claims["exp"]) * 1_000,
    refreshToken: typeof refreshToken === "string" ? refreshToken : undefined,
  };
}

function claimsOf(token: string): Record<string, unknown> | undefined {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function takePending({ sessionStorage }: BrowserWindow): Pending | undefined {
  const text = sessionStorage.getItem(pendingKey);
  sessionStorage.removeItem(pendingKey);
  return text === null ? undefined : (JSON.parse(text) as Pending);
}

/** A path of this page, so that a stored value cannot lead elsewhere. */
function safePath(path: string): string {
  return path.startsWith("/console/") ? path : "/console/";
}

/** 256 random bits as base64url. */
function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
