import { useState } from "preact/hooks";
import type { Organization } from "../api/types.ts";
import { blocked } from "../state/blocked.ts";
import { useQuery } from "../state/url.ts";
import { Button } from "../ui/fields/button.tsx";
import { CreateDialog } from "../ui/dialogs/create-dialog.tsx";
import { Segments } from "../ui/fields/segments.tsx";
import { ModelPanel } from "./model-panel.tsx";

/** The model configurations of an organization: its model, and further ones that agents name. */
export function Configurations({ organization }: { organization: Organization }) {
  const [query, setQuery] = useQuery();
  const [isAdding, setAdding] = useState(false);
  const [added, setAdded] = useState<string>(); // not stored before its form is saved
  const stored = organization.models.map(({ name }) => name);
  const names = added === undefined || stored.includes(added) ? stored : [...stored, added];
  const wanted = query["configuration"];
  const shown = wanted !== undefined && names.includes(wanted) ? wanted : undefined;
  const choose = (configuration: string | undefined): void => setQuery({ configuration });
  return (
    <>
      <div class="row">
        <Segments
          label="Configurations"
          options={[["", "default"], ...names.map((name) => [name, name] as const)]}
          value={shown ?? ""}
          onChange={(name) => choose(name || undefined)}
        />
        <Button
          size="small"
          icon="plus"
          blocked={blocked("change models", organization.id)}
          onClick={() => setAdding(true)}
        >
          Add configuration
        </Button>
      </div>
      <ModelPanel
        key={shown ?? ""}
        organization={organization}
        configuration={shown}
        onRemoved={() => {
          if (shown === undefined) return;
          setAdded(undefined);
          choose(undefined);
        }}
      />
      {isAdding && (
        <CreateDialog
          title="New model configuration"
          action="Continue"
          help="Agents name it in “Model configuration” and in their fallback, such as backup."
          create={async (name) => {
            const problem = problemOf(name, names);
            if (problem !== undefined) throw new Error(problem);
            setAdded(name);
            setAdding(false);
            choose(name);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}

function problemOf(name: string, names: string[]): string | undefined {
  if (name === "default" || names.includes(name)) return `${name} exists already. Choose another name.`;
  if (/^[a-z][a-z0-9-]{0,39}$/.test(name)) return undefined;
  return "Use up to 40 lower-case letters, digits and hyphens, beginning with a letter.";
}
