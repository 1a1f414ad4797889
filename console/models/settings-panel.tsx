import type { ComponentChildren } from "preact";
import type { Organization } from "../api/types.ts";
import { SchemaFields } from "../form/schema-form.tsx";
import type { Field } from "../form/schema-fields.ts";
import { useBody } from "../form/use-body.ts";
import { blocked, forbidden } from "../state/blocked.ts";
import { useLeaveGuard } from "../state/leave-guard.ts";
import { Button } from "../ui/fields/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { toast } from "../ui/dialogs/toast.tsx";

interface SettingsPanelProps<Body> {
  title: string;
  /** What the settings are for. */
  hint: string;
  /** What the button saves, such as “quota”. */
  noun: string;
  organization: Organization;
  fields: Field[];
  stored: object;
  save: (id: string, body: Body) => Promise<unknown>;
  /** Shown below a field. */
  below?: (name: string) => ComponentChildren;
}

/** Settings of an organization: the fields of the body that sets them. */
export function SettingsPanel<Body>(props: SettingsPanelProps<Body>) {
  const { title, hint, noun, organization, fields, stored, save, below } = props;
  const { id, name } = organization;
  const action = `change ${noun}`;
  const readOnly = forbidden(action, id);
  const { form, isChanged, isComplete, isBusy, problem, send } = useBody<Body>(fields, stored, { readOnly });
  const reason = blocked(action, id);
  useLeaveGuard(isChanged);
  const store = (): Promise<void> =>
    send(async (body) => {
      await save(id, body);
      toast(`Saved the ${noun} of ${name}`);
    });
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{title}</h2>
        <span class="muted">{reason ?? hint}</span>
      </header>
      <form
        class="panel-body"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete && isChanged && reason === undefined) void store();
        }}
      >
        <SchemaFields fields={fields} form={form} columns={fields.length > 1 ? "two" : "one"} below={below} />
        <Problem>{problem}</Problem>
        <div class="panel-actions">
          <p />
          <Button
            type="submit"
            blocked={reason ?? (isChanged ? undefined : "Nothing was changed.")}
            disabled={isBusy || !isComplete}
          >
            Save {noun}
          </Button>
        </div>
      </form>
    </section>
  );
}
