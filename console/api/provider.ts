import { signal } from "@preact/signals";
import type { OidcConfig, Tokens } from "./oidc.ts";
import { refuse, refused, signOut, token } from "./session.ts";

/** `/console/config.json`. `link_command` prints a link that signs in. */
export type SignInConfig = { sign_in: "token"; link_command: string } | OidcConfig;

/** How people sign in here. Undefined until the page has read it, which it does when someone is not signed in. */
export const signInConfig = signal<SignInConfig | undefined>(undefined);

/** The tokens of a person who signed in with a provider. In memory only. */
let tokens: Tokens | undefined;
let renewal: Promise<void> | undefined;

/** Signs a visitor in who has no token, or finds out how they can. A visitor whose token was refused decides themselves. */
export async function openSession(): Promise<void> {
  try {
    const config = signInConfig.peek() ?? (await readConfig());
    signInConfig.value = config;
    if (config.sign_in !== "oidc" || refused.peek() !== undefined) return;
    const oidc = await import("./oidc.ts");
    const finished = await oidc.finishSignIn(window, config);
    if (!finished) return await oidc.startSignIn(window, config);
    history.replaceState(null, "", finished.returnTo);
    accept(finished.tokens);
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error));
  }
}

/** Goes to the provider's page, and returns to this one. */
export async function signInAgain(config: OidcConfig): Promise<void> {
  const oidc = await import("./oidc.ts");
  await oidc.startSignIn(window, config);
}

/** Renews the provider's token if it is about to expire. Requests wait for it. */
export function freshToken(): Promise<void> {
  const config = signInConfig.peek();
  if (tokens === undefined || config?.sign_in !== "oidc") return Promise.resolve();
  renewal ??= renewIfNeeded(config, tokens).finally(() => (renewal = undefined));
  return renewal;
}

async function renewIfNeeded(config: OidcConfig, current: Tokens): Promise<void> {
  const oidc = await import("./oidc.ts");
  if (!oidc.isExpiring(current)) return;
  try {
    accept(await oidc.renew(config, current));
  } catch (error) {
    if (error instanceof oidc.SignInError) refuse(error.message);
    // Otherwise the provider does not respond: the token may still be valid, and the next request tries again.
  }
}

/** Signs the operator out: here, and with the provider if it has an address for it. */
export function endSession(): void {
  endProviderSession();
  signOut();
}

function endProviderSession(): void {
  const config = signInConfig.peek();
  if (tokens === undefined || config?.sign_in !== "oidc") return;
  tokens = undefined;
  refuse("You have signed out.");
  if (config.sign_out_url !== null) location.assign(config.sign_out_url);
}

function accept(next: Tokens): void {
  tokens = next;
  token.value = next.bearer;
}

async function readConfig(): Promise<SignInConfig> {
  const response = await fetch("/console/config.json");
  if (response.ok) return (await response.json()) as SignInConfig;
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
  throw new Error(detail ?? `The service responded with HTTP ${response.status}.`);
}
