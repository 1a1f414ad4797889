import { useState } from "preact/hooks";
import { Button } from "../ui/fields/button.tsx";
import type { FieldControl } from "../ui/fields/field.tsx";
import { listModels } from "./model-calls.ts";
import { bodyOf } from "../form/body.ts";
import type { FormState } from "../form/form-state.ts";
import { textOf } from "../form/json.ts";
import { missingSettings, modelFields } from "./model-form.ts";
import type { ModelSettings } from "./providers.ts";

interface ModelNameProps {
  control: FieldControl;
  organizationId: string;
  form: FormState;
}

type Listed = { server: string } & ({ names: string[] } | { problem: string } | { busy: true });

/** The name of the model, with those that the server offers as suggestions after a click. */
export function ModelName({ control, organizationId, form }: ModelNameProps) {
  const [state, setState] = useState<Listed>();
  const list = `${control.id}-models`;
  const { draft } = form;
  const isReadOnly = form.readOnly !== undefined;
  const others = bodyOf({ ...draft, model: null }, modelFields) as ModelSettings;
  const server = JSON.stringify(others);
  // The list of another server says nothing.
  const listed = state?.server === server ? state : undefined;
  const missing = missingSettings(draft).filter((name) => name !== "model");
  const hasList = draft["provider"] !== "demo" && draft["provider"] !== "bedrock";

  async function load(): Promise<void> {
    setState({ server, busy: true });
    try {
      setState({ server, names: await listModels(organizationId, others) });
    } catch (error) {
      setState({ server, problem: (error as Error).message });
    }
  }

  return (
    <>
      <div class="input-row">
        <input
          {...control}
          class="input mono"
          value={textOf(draft["model"])}
          placeholder="claude-sonnet-5"
          readOnly={isReadOnly}
          list={list}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={({ currentTarget }) => form.set(["model"], currentTarget.value || undefined)}
        />
        {hasList && !isReadOnly && (
          <Button
            blocked={missing.length > 0 ? "Enter the other settings first." : undefined}
            disabled={listed !== undefined && "busy" in listed}
            onClick={() => void load()}
          >
            {listed && "busy" in listed ? "Listing…" : "List models"}
          </Button>
        )}
      </div>
      {listed && "names" in listed && (
        <>
          <datalist id={list}>
            {listed.names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <p class="help" role="status">
            {listed.names.length === 0
              ? "The server lists no models. Enter the name."
              : `The server offers ${listed.names.length === 1 ? "1 model" : `${listed.names.length} models`}: type, or press ↓ in the field.`}
          </p>
        </>
      )}
      {listed && "problem" in listed && (
        <p class="problem" role="alert">
          {listed.problem}
        </p>
      )}
    </>
  );
}
