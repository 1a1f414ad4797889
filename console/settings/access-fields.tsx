import { organizations } from "../state/organization.ts";
import { Field } from "../ui/field.tsx";
import type { NewAccess } from "./settings-calls.ts";

interface AccessFieldsProps {
  access: NewAccess;
  onChange: (access: NewAccess) => void;
}

/** What a new operator may do: a role in all organizations, or one for each. */
export function AccessFields({ access, onChange }: AccessFieldsProps) {
  const { role, organizations: single } = access;
  const help = single
    ? "They see the chosen organizations only, and manage neither organizations nor links."
    : "Viewers read everything and change nothing.";
  const choose = (text: string): void => {
    const chosen = roleIn(text);
    onChange(chosen ? { role: chosen } : { organizations: [] });
  };
  return (
    <>
      <Field name="Role" help={help}>
        {(control) => (
          <select
            {...control}
            class="input"
            value={role ?? "single"}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          >
            <option value="operator">Operator</option>
            <option value="viewer">Viewer</option>
            <option value="single">One for each organization</option>
          </select>
        )}
      </Field>
      {single &&
        organizations.value?.map(({ id, name }) => (
          <Field key={id} name={<bdi>{name}</bdi>}>
            {(control) => (
              <select
                {...control}
                class="input"
                value={single.find((each) => each.id === id)?.role ?? ""}
                onChange={({ currentTarget }) => {
                  const chosen = roleIn(currentTarget.value);
                  const others = single.filter((each) => each.id !== id);
                  onChange({ organizations: chosen ? [...others, { id, role: chosen }] : others });
                }}
              >
                <option value="">No access</option>
                <option value="viewer">Viewer</option>
                <option value="operator">Operator</option>
              </select>
            )}
          </Field>
        ))}
    </>
  );
}

function roleIn(text: string): NewAccess["role"] {
  return text === "operator" || text === "viewer" ? text : undefined;
}
