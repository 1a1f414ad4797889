import { useEffect, useState } from "preact/hooks";
import type { LoadedText } from "../model/run-model-types.ts";
import { type FullTexts, loadedUnasked, textAt } from "./full-texts.ts";

/** A text of the run, as much of it as is loaded. */
export interface ShownText {
  text: string;
  /** Length of the whole text in characters. */
  length: number;
  complete: boolean;
  loading: boolean;
  error?: string;
  load: () => void;
}

/** A text of an event, loaded completely unless it is large. `path`: its place in the event. */
export function useFullText(
  texts: FullTexts,
  { loaded, sequence, path }: { loaded: LoadedText; sequence: number | undefined; path: string },
): ShownText {
  const key = `${sequence} ${path}`;
  const [full, setFull] = useState<{ key: string; text?: string; error?: string }>({ key });
  const [loading, setLoading] = useState("");
  const cut = loaded.text.length < loaded.length;
  const known = full.key === key ? full : { key };

  async function load(): Promise<void> {
    if (sequence === undefined) return;
    setLoading(key);
    try {
      setFull({ key, text: textAt(await texts.event(sequence), path) });
    } catch (error) {
      setFull({ key, error: error instanceof Error ? error.message : String(error) });
    }
    setLoading("");
  }

  useEffect(() => {
    if (cut && loaded.length <= loadedUnasked) void load();
  }, [key, cut, loaded.length]);

  return {
    text: known.text ?? loaded.text,
    length: loaded.length,
    complete: !cut || known.text !== undefined,
    loading: loading === key,
    ...(known.error !== undefined && { error: known.error }),
    load: () => void load(),
  };
}
