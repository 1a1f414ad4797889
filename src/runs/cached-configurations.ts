import type { Configurations } from "./ports.ts";

interface Known {
  text: string;
  /** When this process stored it, in milliseconds since 1970. 0: it only read it. */
  storedAt: number;
}

/** Characters of all texts that are kept in memory. A configuration has 5,000 to 500,000. */
const maxCharacters = 8_000_000;

/**
 * Keeps configurations in memory, the last used ones, so that most turns neither store nor read one. A configuration is
 * stored again after `refreshMs` milliseconds, which extends its expiry.
 */
export function cachedConfigurations(
  store: Configurations,
  { refreshMs, now }: { refreshMs: number; now: () => number },
): Configurations {
  const known = new Map<string, Known>(); // least recently used first
  let characters = 0;
  let newest: string | undefined;

  function forget(key: string): void {
    characters -= known.get(key)?.text.length ?? 0;
    known.delete(key);
  }

  function keep(key: string, value: Known): void {
    if (key === newest && known.get(key) === value) return; // most turns run on what the turn before ran on
    newest = key;
    forget(key);
    known.set(key, value);
    characters += value.text.length;
    for (const oldest of known.keys()) {
      if (characters <= maxCharacters) break;
      forget(oldest);
    }
  }

  return {
    async put(agentId, { hash, text }) {
      const key = `${agentId} ${hash}`;
      const stored = known.get(key);
      if (stored && now() - stored.storedAt < refreshMs) return keep(key, stored);
      const storedAt = now();
      await store.put(agentId, { hash, text });
      keep(key, { text, storedAt });
    },

    async get(agentId, hash) {
      const key = `${agentId} ${hash}`;
      const kept = known.get(key);
      if (kept) {
        keep(key, kept);
        return kept.text;
      }
      const text = await store.get(agentId, hash);
      if (text !== undefined) keep(key, { text, storedAt: 0 });
      return text;
    },
  };
}
