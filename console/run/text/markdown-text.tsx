import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { visible } from "./visible.ts";

type Render = (text: string) => DocumentFragment;

let render: Render | undefined;
let loading: Promise<Render> | undefined;

/** Loads the Markdown reader when the first text needs it. */
function loadRender(): Promise<Render> {
  loading ??= import("./markdown.ts").then(({ markdownFragment }) => (render = markdownFragment));
  return loading;
}

/** Text of a run as Markdown, sanitised. Until the reader is loaded, and if it fails, as plain text. */
export function MarkdownText({ text }: { text: string }) {
  const element = useRef<HTMLDivElement>(null);
  const [ready, setReady] = useState(render !== undefined);
  useEffect(() => {
    if (!ready) void loadRender().then(() => setReady(true));
  }, [ready]);
  useLayoutEffect(() => {
    if (render) element.current?.replaceChildren(render(text));
  }, [text, ready]);
  // Two elements: the nodes of the second are not Preact's.
  return ready ? (
    <div key="markdown" class="run-markdown" dir="auto" ref={element} />
  ) : (
    <div key="plain" class="run-markdown plain" dir="auto">
      {visible(text)}
    </div>
  );
}
