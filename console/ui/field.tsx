import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** Attributes that connect an input with its name, help and problem. */
export interface FieldControl {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: "true";
}

interface FieldProps {
  name: ComponentChildren;
  help?: ComponentChildren;
  /** What is wrong, and what is accepted. */
  problem?: string | undefined;
  /** Renders the input with these attributes. */
  children: (control: FieldControl) => ComponentChildren;
}

/** An input with its name above and its help below. A problem is shown at the field. */
export function Field({ name, help, problem, children }: FieldProps) {
  const id = useId();
  const described = [help !== undefined && `${id}-help`, problem !== undefined && `${id}-problem`].filter(Boolean);
  const control: FieldControl = {
    id,
    ...(described.length > 0 && { "aria-describedby": described.join(" ") }),
    ...(problem !== undefined && { "aria-invalid": "true" }),
  };
  return (
    <div class="field">
      <label class="name" for={id}>
        {name}
      </label>
      {children(control)}
      {problem !== undefined && (
        <p id={`${id}-problem`} class="problem" role="alert">
          <Icon name="warning" />
          {problem}
        </p>
      )}
      {help !== undefined && (
        <p id={`${id}-help`} class="help">
          {help}
        </p>
      )}
    </div>
  );
}
