import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

/** What went wrong, at the place that it concerns. */
export function Problem({ children }: { children: string | undefined }) {
  if (children === undefined) return null;
  return (
    <p class="note bad" role="alert">
      <Icon name="warning" />
      <span>{children}</span>
    </p>
  );
}

/** A warning before a person continues. `isLive`: it appears while they work, and screen readers announce it. */
export function Warning({ children, isLive = false }: { children: ComponentChildren; isLive?: boolean }) {
  return (
    <p class="note warn" role={isLive ? "status" : undefined}>
      <Icon name="warning" />
      <span>{children}</span>
    </p>
  );
}
