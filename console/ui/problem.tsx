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

/** What a person should know before they go on. `isLive`: it appears while they work, and is read out. */
export function Warning({ children, isLive = false }: { children: ComponentChildren; isLive?: boolean }) {
  return (
    <p class="note warn" role={isLive ? "status" : undefined}>
      <Icon name="warning" />
      <span>{children}</span>
    </p>
  );
}
