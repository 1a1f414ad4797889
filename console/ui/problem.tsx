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
