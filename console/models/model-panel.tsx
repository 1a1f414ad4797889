import { useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import type { Organization } from "../api/types.ts";
import { blocked, forbidden } from "../state/blocked.ts";
import { keyNames, useShortcuts } from "../state/keyboard.ts";
import { useLeaveGuard } from "../state/leave-guard.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Problem } from "../ui/problem.tsx";
import { toast } from "../ui/toast.tsx";
import { removeModel, setModel, testModel, type ModelTest } from "./model-calls.ts";
import { formOf, isChanged, isEdited, missingSettings, toSettings, withPreset } from "./model-form.ts";
import { ModelFields } from "./model-fields.tsx";
import { type Model, presets, type SettingName } from "./providers.ts";
import { TestResult } from "./test-result.tsx";

interface ModelPanelProps {
  organization: Organization;
  /** The further model configuration to show. Undefined: the organization's model. */
  configuration: string | undefined;
  onRemoved: () => void;
}

/** A model of an organization: its form, a test, and what to begin with. */
export function ModelPanel({ organization, configuration, onRemoved }: ModelPanelProps) {
  const storedIn = ({ model, models }: Organization): Model | null =>
    configuration === undefined ? model : (models.find(({ name }) => name === configuration) ?? null);
  const stored = storedIn(organization);
  const [form, setForm] = useState(() => formOf(stored));
  const [problems, setProblems] = useState<Partial<Record<SettingName | "other", string>>>({});
  const [tested, setTested] = useState<{ settings: string; result: ModelTest | "busy" }>();
  const [isBusy, setBusy] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const missing = missingSettings(form);
  const readOnly = forbidden("change models", organization.id);
  const closed = blocked("change models", organization.id);
  const reason = closed ?? (missing.length > 0 ? `Enter ${missing.map(nameOf).join(", ")} first.` : undefined);
  const hasChanges = isChanged(form, stored);
  const settings = JSON.stringify(toSettings(form));
  // Of other settings, a test says nothing.
  const test = tested?.settings === settings ? tested.result : undefined;

  async function save(): Promise<void> {
    if (reason !== undefined || isBusy || !hasChanges) return;
    setBusy(true);
    setProblems({});
    try {
      const saved = await setModel(organization.id, configuration, toSettings(form));
      // What was typed in the meantime stays.
      setForm((current) => (current === form ? formOf(storedIn(saved)) : current));
      toast(configuration === undefined ? `Saved the model of ${organization.name}` : `Saved ${configuration}`);
    } catch (error) {
      setProblems(problemsOf(error));
    } finally {
      setBusy(false);
    }
  }
  async function runTest(): Promise<void> {
    setTested({ settings, result: "busy" });
    setProblems({});
    try {
      setTested({ settings, result: await testModel(organization.id, toSettings(form)) });
    } catch (error) {
      setTested(undefined);
      setProblems(problemsOf(error));
    }
  }
  useLeaveGuard(isEdited(form, stored));
  useShortcuts("Models", [{ keys: "mod+s", label: "Save the model", run: () => void save() }]);

  return (
    <section class="panel">
      <header class="panel-head">
        <h2>
          {configuration === undefined ? "Model of " : `Model configuration ${configuration} of `}
          <bdi>{organization.name}</bdi>
        </h2>
        {stored && !stored.enabled && <span class="badge warn">disabled</span>}
        {stored && (
          <Button size="small" kind="danger" blocked={closed} onClick={() => setRemoving(true)}>
            Remove…
          </Button>
        )}
      </header>
      <div class="panel-body">
        <div class="presets" role="group" aria-label="Begin with">
          {presets.map((preset) => (
            <button
              key={preset.name}
              type="button"
              class="chip"
              title={preset.note.replaceAll("`", "")}
              disabled={readOnly !== undefined}
              onClick={() => setForm(withPreset(form, preset))}
            >
              {preset.name}
            </button>
          ))}
        </div>
        <ModelFields
          organizationId={organization.id}
          configuration={configuration}
          form={form}
          stored={stored}
          isReadOnly={readOnly !== undefined}
          problems={problems}
          onChange={setForm}
        />
        <Problem>{problems.other}</Problem>
        {test !== undefined && <TestResult test={test} secret={form.settings.secret.trim()} />}
        <div class="panel-actions">
          <Button icon="bolt" blocked={reason} disabled={test === "busy"} onClick={() => void runTest()}>
            {test === "busy" ? "Testing…" : "Test"}
          </Button>
          <p class="muted">
            {reason ?? "One short call with these settings. It costs a few tokens, and stores nothing."}
          </p>
          <Button
            kind="primary"
            hint={keyNames("mod+s").join("")}
            blocked={reason ?? (hasChanges ? undefined : "Nothing was changed.")}
            disabled={isBusy}
            onClick={() => void save()}
          >
            {isBusy ? "Saving…" : "Save model"}
          </Button>
        </div>
      </div>
      {isRemoving && (
        <Confirm
          title={`Remove ${configuration === undefined ? "the model" : configuration} of “${organization.name}”?`}
          action="Remove model"
          danger
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await removeModel(organization.id, configuration);
            setForm(formOf(null));
            toast(`Removed ${configuration ?? "the model"} of ${organization.name}`);
            onRemoved();
          }}
        >
          {configuration === undefined
            ? "Agents that use it reject new runs until there is a model again."
            : "It is kept while an agent names it."}{" "}
          Turns that have an answer keep the model they began with.
        </Confirm>
      )}
    </section>
  );
}

function nameOf(setting: SettingName): string {
  return {
    base_url: "a base URL",
    model: "a model",
    secret: "a secret",
    region: "a region",
    idle_seconds: "seconds without data",
  }[setting];
}

/** The service's reasons, at their fields where they name one. */
function problemsOf(error: unknown): Partial<Record<SettingName | "other", string>> {
  if (!(error instanceof ApiError)) return { other: String(error) };
  if (error.issues.length > 0) {
    return Object.fromEntries(error.issues.map(({ loc, msg }) => [loc.length === 2 ? loc[1] : "other", msg]));
  }
  const name = /^(?:the )?(base_url|model|secret|region|idle_seconds)\b/.exec(error.message)?.[1];
  return { [name ?? "other"]: error.message };
}
