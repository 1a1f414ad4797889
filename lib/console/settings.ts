import { list, oneOf, pattern, setting } from "../setting.ts";

/** How people sign in to the console that is served from AWS. `off`: it is not deployed. */
const signIns = ["off", "cognito", "oidc"] as const;

const defaultRoleClaim = "groups";
const defaultScope = "openid profile email";

export const consoleSettings = {
  console: oneOf<(typeof signIns)[number]>(
    "Sign-in to the web application: `off`, `cognito` or `oidc` ([note](#web-application)).",
    ...signIns,
  ),
  consoleIssuer: setting<string>(
    "`oidc`: issuer, exactly as in the provider's tokens.",
    "",
    "the https URL of an OpenID Connect issuer, such as https://login.example.com, or an empty string for none",
    (value) => (value === "" || isIssuer(String(value)) ? String(value) : undefined),
  ),
  consoleClientId: pattern(
    "`oidc`: id of the public client that you registered.",
    "",
    /^[\x21-\x7e]{0,255}$/,
    "a client id without spaces, or an empty string for none",
  ),
  consoleScope: pattern(
    "`oidc`: scopes that the page requests.",
    defaultScope,
    /^openid( [\x21-\x7e]+)*$/,
    "scopes separated by single spaces, of which openid is the first",
  ),
  consoleRoleClaim: pattern(
    "`oidc`: claim of the ID token that decides about a person's role.",
    defaultRoleClaim,
    /^[\w.:/-]{1,200}$/,
    "the name of a claim, such as groups, sub or email",
  ),
  consoleOperators: claimValues("`oidc`: values of the claim that make an operator, separated by commas."),
  consoleViewers: claimValues("`oidc`: the same for viewers."),
};

export type ConsoleSettings = {
  [Name in keyof typeof consoleSettings]: (typeof consoleSettings)[Name]["fallback"];
};

function claimValues(meaning: string) {
  return list(
    meaning,
    "texts separated by commas, or an array in cdk.json for texts with commas",
    /^[^\p{Cc}]{1,256}$/u,
  );
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" && !/[@?#\s]/.test(text);
}

/** Settings of the console that are valid separately but not together. */
export function consoleConflicts(settings: ConsoleSettings): string[] {
  const { console: signIn } = settings;
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
  return problems;
}
