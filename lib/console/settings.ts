import { list, oneOf, pattern, setting } from "../setting.ts";

/** How people sign in to the console that is served from AWS. `off`: it is not deployed. */
const signIns = ["off", "cognito", "oidc"] as const;

const defaultRoleClaim = "groups";
const defaultScope = "openid profile email";

/** Words that Cognito rejects in the prefix of a domain. */
const reservedWords = /aws|amazon|cognito/;

export const consoleSettings = {
  /** Whether the stack with the web application is deployed, and how people sign in. */
  console: oneOf<(typeof signIns)[number]>(...signIns),
  /** `oidc`: the provider's issuer, exactly as in its tokens. */
  consoleIssuer: setting<string>(
    "",
    "the https URL of an OpenID Connect issuer, such as https://login.example.com, or an empty string for none",
    (value) => (value === "" || isIssuer(String(value)) ? String(value) : undefined),
  ),
  /** `oidc`: id of the public client that is registered with the provider. */
  consoleClientId: pattern("", /^[\x21-\x7e]{0,255}$/, "a client id without spaces, or an empty string for none"),
  /** `oidc`: what the page asks the provider for. Some need `groups` for that claim, or `offline_access` for renewals. */
  consoleScope: pattern(
    defaultScope,
    /^openid( [\x21-\x7e]+)*$/,
    "scopes separated by single spaces, of which openid is the first",
  ),
  /** `oidc`: the claim of the ID token that decides about a person's role. */
  consoleRoleClaim: pattern(defaultRoleClaim, /^[\w.:/-]{1,200}$/, "the name of a claim, such as groups, sub or email"),
  /** `oidc`: values of `consoleRoleClaim` that make a person an operator. `VALUE=ID`: of one organization. */
  consoleOperators: claimValues(),
  /** `oidc`: values of `consoleRoleClaim` that make a person a viewer. `VALUE=ID`: of one organization. */
  consoleViewers: claimValues(),
  /** `cognito`: prefix of the sign-in page's domain. Empty: derived from the stage and the stack's id. */
  consoleDomainPrefix: setting<string>(
    "",
    "1 to 63 lower-case letters, digits and hyphens, without aws, amazon and cognito, or an empty string for none",
    (value) =>
      /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?$/.test(String(value)) && !reservedWords.test(String(value))
        ? String(value)
        : undefined,
  ),
};

export type ConsoleSettings = {
  [Name in keyof typeof consoleSettings]: (typeof consoleSettings)[Name]["fallback"];
};

function claimValues() {
  return list("texts separated by commas, or an array in cdk.json for texts with commas", /^[^\p{Cc}]{1,256}$/u);
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" && !/[@?#\s]/.test(text);
}

/** Settings of the console that are valid separately but not together, or with this stage. */
export function consoleConflicts(settings: ConsoleSettings & { stage: string }): string[] {
  const { console: signIn, consoleDomainPrefix, stage } = settings;
  const used: Partial<Record<keyof ConsoleSettings, boolean>> = {
    consoleIssuer: settings.consoleIssuer !== "",
    consoleClientId: settings.consoleClientId !== "",
    consoleScope: settings.consoleScope !== defaultScope,
    consoleRoleClaim: settings.consoleRoleClaim !== defaultRoleClaim,
    consoleOperators: settings.consoleOperators.length > 0,
    consoleViewers: settings.consoleViewers.length > 0,
  };
  const problems: string[] = [];
  if (signIn === "oidc") {
    const missing = {
      consoleIssuer: "set the issuer of the OpenID Connect provider",
      consoleClientId: "set the id of the client that is registered with the provider",
      consoleOperators: `set the values of the claim ${settings.consoleRoleClaim} that make a person an operator`,
    };
    for (const [name, remedy] of Object.entries(missing)) {
      if (!used[name as keyof ConsoleSettings]) problems.push(`${name}: missing; ${remedy}, or change console`);
    }
  } else {
    for (const [name, isUsed] of Object.entries(used)) {
      if (isUsed)
        problems.push(`${name}: requires console oidc, but console is ${signIn}; change console, or remove it`);
    }
  }
  const both = settings.consoleViewers.filter((value) => settings.consoleOperators.includes(value));
  if (both.length > 0) problems.push(`consoleViewers: ${both.join(", ")} is in consoleOperators, too; remove one`);
  if (signIn !== "cognito" && consoleDomainPrefix !== "") {
    problems.push(
      `consoleDomainPrefix: requires console cognito, but console is ${signIn}; change console, or remove it`,
    );
  }
  if (signIn === "cognito" && consoleDomainPrefix === "" && reservedWords.test(stage)) {
    problems.push(
      `consoleDomainPrefix: missing; Cognito rejects the stage ${stage} in a domain, so set another prefix`,
    );
  }
  return problems;
}
