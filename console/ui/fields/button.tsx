import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { Icon, type IconName } from "../icon.tsx";

interface ButtonProps extends Omit<ButtonHTMLAttributes, "icon" | "size"> {
  kind?: "primary" | "danger" | "danger filled" | "plain";
  size?: "small";
  icon?: IconName;
  /** The key that does the same, as a hint. */
  hint?: string;
  /** Why the action cannot be taken now. It disables the button, and is its tooltip. */
  blocked?: string | undefined;
  /** The name of a button that shows its icon only. */
  label?: string;
  children?: ComponentChildren;
}

export function Button({ kind, size, icon, hint, blocked, label, children, ...more }: ButtonProps) {
  const classes = ["button", kind, size, label !== undefined && "icon-only"].filter(Boolean).join(" ");
  return (
    <button
      type="button"
      {...more}
      class={classes}
      disabled={blocked !== undefined || more.disabled === true}
      title={blocked ?? label}
      aria-label={label}
    >
      {icon && <Icon name={icon} />}
      {children}
      {hint !== undefined && <kbd aria-hidden="true">{hint}</kbd>}
    </button>
  );
}
