import { organizations } from "../state/organization.ts";
import { SelectField } from "../ui/fields/field.tsx";
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
  return (
    <>
      <SelectField
        name="Role"
        help={help}
        value={role ?? "single"}
        options={[
          ["operator", "Operator"],
          ["viewer", "Viewer"],
          ["single", "One for each organization"],
        ]}
        onChange={(chosen) => onChange(chosen === "single" ? { organizations: [] } : { role: chosen })}
      />
      {single &&
        organizations.value?.map(({ id, name }) => (
          <SelectField
            key={id}
            name={<bdi>{name}</bdi>}
            value={single.find((each) => each.id === id)?.role ?? ""}
            options={[
              ["", "No access"],
              ["viewer", "Viewer"],
              ["operator", "Operator"],
            ]}
            onChange={(chosen) => {
              const others = single.filter((each) => each.id !== id);
              onChange({ organizations: chosen === "" ? others : [...others, { id, role: chosen }] });
            }}
          />
        ))}
    </>
  );
}
