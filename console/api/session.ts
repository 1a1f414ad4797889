import { signal } from "@preact/signals";
import type { Me } from "./types.ts";

const storageKey = "agent-run-service.token";

/** The operator's token. Undefined: the page was opened without a link. */
export const token = signal<string | undefined>(undefined);

/** Why the service or the sign-in refused the visitor, in words for them. Undefined: nothing did. */
export const refused = signal<string | undefined>(undefined);

/** The operator and the service. Undefined until the first response. */
export const me = signal<Me | undefined>(undefined);

/** How commands are typed where the service was started. */
export function commands(): Me["commands"] {
  return me.value?.commands ?? { start: "npm start --", admin: "npm run -s admin --" };
}

/**
 * Takes the token out of the address, so that it is in no bookmark and no shared link, and keeps it for later visits.
 * Returns whether it replaced another one.
 */
export function takeToken(): boolean {
  const before = token.value;
  const found = /^#(ao_[0-9A-Za-z]+)$/.exec(location.hash)?.[1];
  if (found !== undefined) {
    localStorage.setItem(storageKey, found);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  token.value = found ?? before ?? localStorage.getItem(storageKey) ?? undefined;
  refused.value = undefined;
  return before !== undefined && before !== token.value;
}

export function refuse(reason: string): void {
  refused.value = reason;
}

/** Forgets the token. `endSession` also signs out of the provider. */
export function signOut(): void {
  localStorage.removeItem(storageKey);
  token.value = undefined;
  me.value = undefined;
}
