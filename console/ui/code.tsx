import type { ComponentChildren } from "preact";
import { CopyButton } from "./copy-button.tsx";

interface CodeProps {
  /** What it is. */
  title: ComponentChildren;
  text: string;
  /** What Copy copies. Default: `text`. */
  copied?: string;
  /** Wraps lines, as for prose. */
  wrap?: boolean;
}

/** A text for machines, with a button that copies it. Long lines scroll inside. */
export function Code({ title, text, copied = text, wrap = false }: CodeProps) {
  return (
    <figure class={wrap ? "code prose" : "code"}>
      <header>
        {title}
        <CopyButton text={copied} kind="plain" />
      </header>
      {/* A scrollable region has to be reachable by keyboard. */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
