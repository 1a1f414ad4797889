import type { Manifest } from "../files/manifest.ts";

/**
 * Contents that are no longer kept. Calls in progress may read or write them, so they are removed when none is. Only a write of
 * the same content and `settled` wait for a removal.
 */
export class DroppedContents {
  readonly #remove: (sha256s: string[]) => Promise<void>;
  readonly #pinned: Iterable<string>;
  readonly #dropped = new Set<string>();
  readonly #removals = new Map<string, Promise<void>>();
  #calls = 0;

  /** `remove`: never rejects. `pinned`: SHA-256 of contents that are never removed. */
  constructor(remove: (sha256s: string[]) => Promise<void>, pinned: Iterable<string>) {
    this.#remove = remove;
    this.#pinned = pinned;
  }

  add(sha256s: Iterable<string>): void {
    for (const each of sha256s) this.#dropped.add(each);
  }

  startCall(): void {
    this.#calls++;
  }

  /** `recorded`: the files of the recorded results. */
  endCall(recorded: Manifest): void {
    this.#calls--;
    if (this.#calls > 0 || this.#dropped.size === 0) return;
    const used = new Set<string | undefined>(this.#pinned);
    for (const { sha256, old = [] } of recorded.values()) for (const each of [sha256, ...old]) used.add(each);
    const unused = [...this.#dropped].filter((each) => !used.has(each));
    this.#dropped.clear();
    if (unused.length === 0) return;
    const removal = this.#remove(unused).then(() => {
      for (const each of unused) this.#removals.delete(each);
    });
    for (const each of unused) this.#removals.set(each, removal);
  }

  /** Resolves when no removal of this content is in progress. */
  async settledOf(sha256: string): Promise<void> {
    await this.#removals.get(sha256);
  }

  /** Resolves when no removal is in progress. */
  async settled(): Promise<void> {
    if (this.#removals.size > 0) await Promise.allSettled(this.#removals.values());
  }
}
