import { useState } from "preact/hooks";
import type { Organization } from "../api/types.ts";
import { useBody } from "../form/use-body.ts";
import { textOf } from "../form/json.ts";
import { blocked, forbidden } from "../state/blocked.ts";
import { keyNames, useShortcuts } from "../state/keyboard.ts";
import { useLeaveGuard } from "../state/leave-guard.ts";
import { Button } from "../ui/fields/button.tsx";
import { Confirm } from "../ui/dialogs/confirm.tsx";
import { Problem } from "../ui/problem.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { removeModel, setModel, testModel, type ModelTest } from "./model-calls.ts";
import { clearedSecret, formOf, missingSettings, modelFields, withPreset, withSetting } from "./model-form.ts";
import { ModelFields } from "./model-fields.tsx";
import { type Model, type ModelSettings, presets } from "./providers.ts";
import { TestResult } from "./test-result.tsx";

interface ModelPanelProps {
  organization: Organization;
  /** The further model configuration to show. Undefined: the organization's model. */
  configuration: string | undefined;
  onRemoved: () => void;
}

/** A model of an organization: its form, a test, and what to begin with. */
export function ModelPanel({ organization, configuration, onRemoved }: ModelPanelProps) {
  const { id, name, model, models } = organization;
  const [isRemoving, setRemoving] = useState(false);
  const stored = configuration === undefined ? model : (models.find((each) => each.name === configuration) ?? null);
  const settings = useModel(stored, organization, configuration);
  const { draft, readOnly } = settings.form;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>
          {configuration === undefined ? "Model of " : `Model configuration ${configuration} of `}
          <bdi>{name}</bdi>
        </h2>
        {stored && !stored.enabled && <span class="badge warn">disabled</span>}
        {stored && (
          <Button size="small" kind="danger" blocked={blocked("change models", id)} onClick={() => setRemoving(true)}>
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
              onClick={() => settings.setDraft(withPreset(draft, preset))}
            >
              {preset.name}
            </button>
          ))}
        </div>
        <ModelFields
          organizationId={id}
          configuration={configuration}
          form={settings.form}
          cleared={clearedSecret(stored, draft)}
        />
        <Problem>{settings.problem}</Problem>
        {settings.test && <TestResult test={settings.test} secret={textOf(draft["secret"]).trim()} />}
        <ModelActions {...settings} />
      </div>
      {isRemoving && (
        <Confirm
          title={`Remove ${configuration === undefined ? "the model" : configuration} of “${name}”?`}
          action="Remove model"
          danger
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await removeModel(id, configuration);
            settings.setDraft(formOf(null));
            toast(`Removed ${configuration ?? "the model"} of ${name}`);
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

type Settings = ReturnType<typeof useModel>;

/** The form of a model, with what can be done with its settings. */
function useModel(stored: Model | null, { id, name }: Organization, configuration: string | undefined) {
  const [tested, setTested] = useState<{ settings: string; result: ModelTest }>();
  const [doing, setDoing] = useState<"test" | "save">();
  const readOnly = forbidden("change models", id);
  const { send, ...body } = useBody<ModelSettings>(modelFields, formOf(stored), {
    readOnly,
    change: (draft, path, value) => withSetting(stored, draft, path, value),
  });
  const missing = missingSettings(body.form.draft);
  const incomplete = missing.length > 0 ? `Enter ${missing.map((each) => nouns[each]).join(", ")} first.` : undefined;
  const reason = blocked("change models", id) ?? incomplete;
  const settings = JSON.stringify(body.body);
  const isSame = stored !== null && !body.isChanged; // a first model can be stored as it is proposed
  const act = async (what: "test" | "save", work: (body: ModelSettings) => Promise<unknown>): Promise<void> => {
    setDoing(what);
    setTested(undefined);
    await send(work, what === "test");
    setDoing(undefined);
  };
  const save = async (): Promise<void> => {
    if (reason !== undefined || isSame || doing) return;
    await act("save", async (sent) => {
      await setModel(id, configuration, sent);
      toast(configuration === undefined ? `Saved the model of ${name}` : `Saved ${configuration}`);
    });
  };
  const runTest = (): Promise<void> =>
    act("test", async (sent) => setTested({ settings, result: await testModel(id, sent) }));
  useLeaveGuard(body.isChanged);
  useShortcuts("Models", [{ keys: "mod+s", label: "Save the model", run: () => void save() }]);
  // Of other settings, a test says nothing.
  const test = doing === "test" ? ("busy" as const) : tested?.settings === settings ? tested.result : undefined;
  return { ...body, reason, isSame, doing, test, save, runTest };
}

const nouns: Record<string, string> = {
  base_url: "a base URL",
  model: "a model",
  secret: "a secret",
  region: "a region",
};

function ModelActions({ reason, isSame, doing, save, runTest }: Settings) {
  return (
    <div class="panel-actions">
      <Button icon="bolt" blocked={reason} disabled={doing !== undefined} onClick={() => void runTest()}>
        {doing === "test" ? "Testing…" : "Test"}
      </Button>
      <p class="muted">{reason ?? "One short call with these settings. It costs a few tokens, and stores nothing."}</p>
      <Button
        kind="primary"
        hint={keyNames("mod+s").join("")}
        blocked={reason ?? (isSame ? "Nothing was changed." : undefined)}
        disabled={doing !== undefined}
        onClick={() => void save()}
      >
        {doing === "save" ? "Saving…" : "Save model"}
      </Button>
    </div>
  );
}
