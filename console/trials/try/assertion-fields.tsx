import { Button } from "../../ui/fields/button.tsx";
import { Select } from "../../ui/fields/field.tsx";
import { assertionFields, type AssertionKind, assertionKinds, type TypedAssertion } from "./typed-assertions.ts";

interface AssertionFieldsProps {
  assertions: TypedAssertion[];
  disabled: boolean;
  onChange: (assertions: TypedAssertion[]) => void;
}

/** What every tried turn must do. A case that breaks one of these gets the verdict *assertion broken*. */
export function AssertionFields({ assertions, disabled, onChange }: AssertionFieldsProps) {
  const set = (index: number, changes: Partial<TypedAssertion>): void =>
    onChange(assertions.map((one, other) => (other === index ? Object.assign({}, one, changes) : one)));
  return (
    <fieldset class="field assertions" disabled={disabled}>
      <legend class="name">
        Assertions <span class="muted">what every tried turn must do</span>
      </legend>
      {assertions.map((one, index) => (
        <AssertionRow
          key={index}
          number={index + 1}
          of={one}
          onChange={(changes) => set(index, changes)}
          onRemove={() => onChange(assertions.filter((_, other) => other !== index))}
        />
      ))}
      <Button
        size="small"
        icon="plus"
        onClick={() => onChange([...assertions, { kind: "output_matches", name: "", value: "" }])}
      >
        Add an assertion
      </Button>
    </fieldset>
  );
}

interface AssertionRowProps {
  number: number;
  of: TypedAssertion;
  onChange: (changes: Partial<TypedAssertion>) => void;
  onRemove: () => void;
}

function AssertionRow({ number, of: { kind, name, value }, onChange, onRemove }: AssertionRowProps) {
  const fields = assertionFields[kind];
  return (
    <div class="assertion" role="group" aria-label={`Assertion ${number}`}>
      <Select
        aria-label={`Kind of assertion ${number}`}
        value={kind}
        options={Object.entries(assertionKinds) as [AssertionKind, string][]}
        onChange={(chosen) => onChange({ kind: chosen })}
      />
      {fields.name !== undefined && (
        <input
          class="input mono"
          aria-label={`${fields.name} of assertion ${number}`}
          placeholder={fields.name}
          value={name}
          onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
      )}
      {kind === "output_fits" ? (
        <textarea
          class="input mono"
          rows={3}
          aria-label={`${fields.value} of assertion ${number}`}
          placeholder={fields.value}
          value={value}
          onInput={({ currentTarget }) => onChange({ value: currentTarget.value })}
        />
      ) : (
        fields.value !== undefined && (
          <input
            class="input mono"
            aria-label={`${fields.value} of assertion ${number}`}
            placeholder={fields.value}
            value={value}
            onInput={({ currentTarget }) => onChange({ value: currentTarget.value })}
          />
        )
      )}
      <Button size="small" icon="close" label={`Remove assertion ${number}`} onClick={onRemove} />
    </div>
  );
}
