import type { ComponentChildren } from "preact";
import { Glyph } from "./icon.tsx";

/** What a list shows instead of nothing: why it is empty, and what to do. */
export function Empty({ title, children }: { title: ComponentChildren; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Glyph />
      <h2>{title}</h2>
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
