import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { connection } from "../../api/connection.ts";
import { visible } from "./visible.ts";

type Read = (text: string) => ComponentChildren;

let read: Read | undefined;
let loading: Promise<unknown> | undefined;

/** Loads the Markdown reader when the first text needs it. Resolves also if that fails: a later call tries again. */
function loadReader(): Promise<unknown> {
  loading ??= import("./markdown-elements.ts").then(
    ({ markdownElements }) => (read = markdownElements),
    () => (loading = undefined),
  );
  return loading;
}

/** Text of a run as Markdown. Until the reader is loaded, and if that fails, as plain text. */
export function MarkdownText({ text }: { text: string }) {
  const [ready, setReady] = useState(read !== undefined);
  const { state } = connection.value;
  useEffect(() => {
    if (!ready && state === "live") void loadReader().then(() => setReady(read !== undefined));
  }, [ready, state]);
  const elements = useMemo(() => (ready ? read?.(text) : undefined), [text, ready]);
  return (
    <div class={elements === undefined ? "run-markdown plain" : "run-markdown"} dir="auto">
      {elements ?? visible(text)}
    </div>
  );
}
