import { me } from "../../api/session.ts";
import type { FieldControl } from "./field.tsx";

interface SecretInputProps {
  control: FieldControl;
  /** `env:NAME`, `file:PATH` or `secretsmanager:NAME`. */
  value: string;
  readOnly?: boolean;
  onInput: (value: string) => void;
}

/** The location of a secret, with those that the service accepts as suggestions. */
export function SecretInput({ control, value, readOnly = false, onInput }: SecretInputProps) {
  const list = `${control.id}-secrets`;
  const isLocal = me.value?.platform !== "aws";
  return (
    <>
      <input
        {...control}
        class="input mono"
        value={value}
        readOnly={readOnly}
        list={list}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder={isLocal ? "env:NAME" : "secretsmanager:NAME"}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <datalist id={list}>
        {me.value?.secrets.accepted?.map((secret) => (
          <option key={secret} value={secret} />
        ))}
      </datalist>
    </>
  );
}
