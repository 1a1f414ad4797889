import type { ComponentChildren } from "preact";
import { Glyph } from "./icon.tsx";

interface EmptyProps {
  title: ComponentChildren;
  /** The title is that of the page, which has no other. */
  wholePage?: boolean;
  children?: ComponentChildren;
}

/** What a list shows instead of nothing: why it is empty, and what to do. */
export function Empty({ title, wholePage = false, children }: EmptyProps) {
  const Title = wholePage ? "h1" : "h2";
  return (
    <div class="empty">
      <Glyph />
      <Title>{title}</Title>
      {children}
    </div>
  );
}

/** Bars in the place of rows that are loading. */
export function Loading({ rows = 8 }: { rows?: number }) {
  return (
    <div class="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  );
}
