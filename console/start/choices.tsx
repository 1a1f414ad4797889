import { useState } from "preact/hooks";
import { CreateRunRequest } from "../../src/manage/generated/form-schemas.ts";
import type { Agent } from "../api/types.ts";
import type { FormState } from "../form/form-state.ts";
import { type Draft, pathText, withValue } from "../form/json.ts";
import type { FieldMessages } from "../form/messages.ts";
import { SchemaFields } from "../form/schema-form.tsx";
import { fieldsOf } from "../form/schema-fields.ts";

/** Fields of a create that the dialog asks for itself. */
const asked = new Set(["agent_id", "name", "input_text", "files"]);

/** All other fields of a create. */
export const choiceFields = fieldsOf(CreateRunRequest, {
  labels: { turn: "Of one turn", run: "Of the whole run", url: "URL", result_schema: "JSON Schema of the results" },
  helps: { model: "A name of the agent’s runModels. Empty: the agent’s model." },
  terse: ["limits"],
  orders: { run: ["dollars"] },
  entries: { labels: { noun: "label", start: "", names: ["customer", "project"] } },
}).filter(({ name }) => !asked.has(name));

interface ChoicesProps {
  choices: Draft;
  messages: FieldMessages;
  definition: Agent["definition"] | undefined;
  onChange: (choices: Draft) => void;
}

/** Further settings of the run, such as its model, limits and labels. */
export function Choices({ choices, messages, definition, onChange }: ChoicesProps) {
  const [isOpened, setOpened] = useState(Object.keys(choices).length > 0);
  const isOpen = isOpened || messages.at.size > 0;
  const form: FormState = {
    stored: {},
    draft: choices,
    changes: new Map(),
    messages,
    readOnly: undefined,
    set: (path, value) => onChange(withValue(choices, path, value)),
    known: (path) => (pathText(path) === "model" ? (definition?.runModels ?? []).map(({ name }) => name) : []),
  };
  return (
    <details class="more-settings" open={isOpen} onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary>Model, limits, labels and more</summary>
      {isOpen && (
        <div class="schema-form">
          <SchemaFields fields={choiceFields} form={form} />
        </div>
      )}
    </details>
  );
}
