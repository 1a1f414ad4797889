import { type BrowserWindow, finishSignIn, type OidcConfig, startSignIn, type Tokens } from "../../console/api/oidc.ts";
import {
  CognitoIdentityProviderClient,
  ListUserPoolClientsCommand,
  ListUserPoolsCommand,
  UpdateUserPoolClientCommand,
} from "@aws-sdk/client-cognito-identity-provider";
import { emulated, endpoint, stackOutputs } from "./service.ts";

/** What a person types into the forms of the sign-in page, by field. */
type Answers = Record<string, string>;

function at(address: string): string {
  return new URL(new URL(address).pathname, endpoint()).href;
}

/** The configuration of the page with the emulator's address instead of the domain of the user pool. */
export function emulatedConfig(config: OidcConfig): OidcConfig {
  return {
    ...config,
    authorization_endpoint: at(config.authorization_endpoint),
    token_endpoint: at(config.token_endpoint),
  };
}

/** Signs a person in with the page's own code, through the sign-in page of the emulator. `path`: what they open first. */
export async function signIn(
  consoleUrl: string,
  config: OidcConfig,
  answers: Answers,
  path = "/console/",
): Promise<{ tokens: Tokens; returnTo: string }> {
  const tab = newTab(new URL(path, consoleUrl).href);
  await startSignIn(tab, config);
  tab.open(await fillForms(tab.assigned, answers));
  const finished = await finishSignIn(tab, config);
  if (!finished) throw new Error(`the provider returned to ${tab.location.href}`);
  return finished;
}

/** Fills in the forms of the sign-in page one after the other. Resolves with the address to which the last one leads. */
async function fillForms(address: string, answers: Answers): Promise<string> {
  let response = await fetch(address, { redirect: "manual" });
  for (let forms = 0; forms < 5; forms++) {
    const location = response.headers.get("location");
    if (location !== null) return location;
    const page = await response.text();
    const fields = [...page.matchAll(/<(?:input|button)[^>]* name="(\w+)"(?:[^>]* value="([^"]*)")?/g)].map(
      ([, name = "", value]) => [name, value === undefined ? (answers[name] ?? "") : unescaped(value)],
    );
    if (fields.length === 0 || page.includes('class="error"'))
      throw new Error(`the sign-in page shows: ${page.slice(-600)}`);
    response = await fetch(new URL("/login", address), {
      method: "POST",
      body: new URLSearchParams(Object.fromEntries(fields) as Record<string, string>),
      redirect: "manual",
    });
  }
  throw new Error("the sign-in page asks for too much");
}

function unescaped(html: string): string {
  return html.replaceAll("&quot;", '"').replaceAll("&#x27;", "'").replaceAll("&amp;", "&");
}

/** The temporary password in the latest invitation of a person. */
export async function invitedPassword(email: string): Promise<string> {
  const response = await fetch(new URL("/_ministack/ses/messages", endpoint()));
  const messages = JSON.stringify(await response.json());
  const invitations = new RegExp(`User name: ${email}<br>Temporary password, valid for 7 days: (.+?)</p>`, "g");
  const password = [...messages.matchAll(invitations)].at(-1)?.[1];
  if (password === undefined) throw new Error(`no invitation for ${email} in ${messages.slice(0, 2_000)}`);
  return JSON.parse(`"${password}"`) as string;
}

/** Lets tokens of the console's user pool expire a second after the sign-in. AWS accepts no less than five minutes. */
export async function expireTokens(stack: string): Promise<void> {
  const { UserPoolId } = await stackOutputs(stack);
  const cognito = new CognitoIdentityProviderClient(emulated());
  const { UserPoolClients: [client] = [] } = await cognito.send(new ListUserPoolClientsCommand({ UserPoolId }));
  const validity = { IdTokenValidity: 1, TokenValidityUnits: { IdToken: "seconds" as const } };
  await cognito.send(new UpdateUserPoolClientCommand({ UserPoolId, ClientId: client?.ClientId, ...validity }));
  cognito.destroy();
}

/** The ids of all user pools. */
export async function userPools(): Promise<string[]> {
  const cognito = new CognitoIdentityProviderClient(emulated());
  const { UserPools = [] } = await cognito.send(new ListUserPoolsCommand({ MaxResults: 10 }));
  cognito.destroy();
  return UserPools.map(({ Id = "" }) => Id);
}

/** A tab of a browser. `assigned`: the address to which it was sent. */
function newTab(href: string): BrowserWindow & { assigned: string; open(href: string): void } {
  const stored = new Map<string, string>();
  const tab = {
    assigned: "",
    location: { href: "", pathname: "", search: "", hash: "", assign: (url: string) => void (tab.assigned = url) },
    open(to: string): void {
      const url = new URL(to, tab.location.href || undefined);
      Object.assign(tab.location, { href: url.href, pathname: url.pathname, search: url.search, hash: url.hash });
    },
    history: { replaceState: (_data: null, _unused: string, url: string) => tab.open(url) },
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    },
  };
  tab.open(href);
  return tab;
}
