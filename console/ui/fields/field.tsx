import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "../icon.tsx";

/** Attributes that connect an input with its name, help and problem. */
export interface FieldControl {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: "true";
}

interface FieldProps {
  name: ComponentChildren;
  help?: ComponentChildren | undefined;
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
      {problem !== undefined && <FieldProblem id={`${id}-problem`}>{problem}</FieldProblem>}
      {help !== undefined && (
        <p id={`${id}-help`} class="help">
          {help}
        </p>
      )}
    </div>
  );
}

/** What is wrong with an input, or with several. */
export function FieldProblem({ id, children }: { id?: string; children: string }) {
  return (
    <p id={id} class="problem" role="alert">
      <Icon name="warning" />
      {children}
    </p>
  );
}

type Named<Attributes> = Omit<FieldProps, "children"> & Omit<Attributes, "name" | "value" | "onInput" | "onChange">;

interface TextFieldProps extends Named<InputHTMLAttributes> {
  value: string;
  onInput: (value: string) => void;
  /** Class of the input besides `input`. */
  class?: string;
  /** It is a text of several lines, of which so many are shown. */
  rows?: number;
}

/** A text, or a number as it is typed. */
export function TextField({ name, help, problem, onInput, class: kind = "", rows, ...attributes }: TextFieldProps) {
  return (
    <Field name={name} help={help} problem={problem}>
      {(control) => {
        const all: object = {
          autocomplete: "off",
          ...attributes,
          ...control,
          class: `input ${kind}`.trim(),
          onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value),
        };
        return rows === undefined ? <input {...all} /> : <textarea {...all} rows={rows} />;
      }}
    </Field>
  );
}

interface SelectProps<Value extends string | number> extends Omit<SelectHTMLAttributes, "value" | "onChange" | "name"> {
  value: Value | undefined;
  options: readonly (readonly [value: Value, text: ComponentChildren])[];
  onChange: (value: Value) => void;
  class?: string;
}

/** One of some values. */
export function Select<Value extends string | number>(props: SelectProps<Value>) {
  const { options, onChange, class: kind = "", ...attributes } = props;
  return (
    <select
      {...(attributes as object)}
      class={`input ${kind}`.trim()}
      onChange={({ currentTarget }) => {
        const [chosen] = options[currentTarget.selectedIndex] ?? [];
        if (chosen !== undefined) onChange(chosen);
      }}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** One of some values, with its name above. */
export function SelectField<Value extends string | number>(
  props: SelectProps<Value> & Pick<FieldProps, "name" | "help" | "problem">,
) {
  const { name, help, problem, ...attributes } = props;
  return (
    <Field name={name} help={help} problem={problem}>
      {(control) => <Select {...attributes} {...control} />}
    </Field>
  );
}

interface CheckProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  /** Id of its help. */
  "aria-describedby"?: string;
  class?: string;
  children: ComponentChildren;
}

/** A checkbox with its name. */
export function Check({ class: kind = "", onChange, children, ...attributes }: CheckProps) {
  return (
    <label class={`check ${kind}`.trim()}>
      <input type="checkbox" {...attributes} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      <span>{children}</span>
    </label>
  );
}
