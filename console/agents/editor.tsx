import { defaultEnvironment } from "../environments.ts";
import { organizations } from "../state/organization.ts";
import { Warning } from "../ui/problem.tsx";
import { type EditorState, withField, withText } from "./editor-state.ts";
import { AgentFile } from "./form/agent-file.tsx";
import { changesOf } from "../form/changes.ts";
import type { FormState } from "../form/form-state.ts";
import { pathText, textOf } from "../form/json.ts";
import type { FieldMessages } from "../form/messages.ts";
import { AgentForm } from "./form/agent-form.tsx";
import { lacksSecrets } from "./form/mcp-url.ts";
import { knownNames } from "./form/tools-field.tsx";
import { PriceNote } from "./prices/price-note.tsx";
import { SameChange } from "./same-change.tsx";

const clearedSecrets =
  "The URL was changed, so the secrets of the headers were cleared: a secret goes only to the server that it was named " +
  "for. Enter them again.";

interface EditorProps {
  state: EditorState;
  messages: FieldMessages;
  readOnly: string | undefined;
  organizationId: string;
  /** Undefined: a new agent. */
  agentId?: string;
  revision?: number;
  warnings?: string[];
  note?: string;
  onChange: (state: EditorState) => void;
}

/** The form of an agent beside its file. Edits go both ways. */
export function Editor({ state, messages, readOnly, organizationId, onChange, ...more }: EditorProps) {
  const changes = changesOf(state.stored, state.draft);
  const isNew = more.agentId === undefined;
  const organization = organizations.value?.find(({ id }) => id === organizationId);
  const further = organization?.models ?? [];
  const named = textOf(state.draft["modelConfiguration"]);
  const provider = named === "" ? organization?.model : further.find(({ name }) => name === named);
  const form: FormState = {
    stored: state.stored,
    draft: state.draft,
    changes: new Map(isNew ? [] : changes.map((change) => [pathText(change.path), change])),
    messages,
    readOnly,
    placeholder: (path) => ({ environment: defaultEnvironment, model: provider?.model ?? "" })[pathText(path)],
    known: (path) =>
      knownNames(
        path,
        state.draft,
        further.map(({ name }) => name),
      ),
    warning: (server) => (lacksSecrets(state.stored, state.draft, server) ? clearedSecrets : undefined),
    set: (path, value) => onChange(withField(state, path, value)),
  };
  return (
    <div class="editor">
      <div class="panel editor-form">
        {readOnly !== undefined && <p class="note">{readOnly}</p>}
        <AgentForm form={form} />
      </div>
      <div class="editor-side">
        {more.warnings?.map((warning) => (
          <Warning key={warning}>{warning}</Warning>
        ))}
        <AgentFile
          stored={state.stored}
          text={state.text}
          changes={isNew ? 0 : changes.length}
          problem={state.problem}
          readOnly={readOnly !== undefined}
          onInput={(text) => onChange(withText(state, text))}
        />
        <SameChange
          draft={state.draft}
          organizationId={organizationId}
          agentId={more.agentId}
          revision={more.revision}
        />
        {more.note !== undefined && <p class="muted">{more.note}</p>}
        {state.draft["prices"] === undefined && (
          <PriceNote
            provider={provider}
            model={textOf(state.draft["model"]) || provider?.model || undefined}
            readOnly={readOnly !== undefined}
            onUse={(prices) => onChange(withField(state, ["prices"], { ...prices }))}
          />
        )}
      </div>
    </div>
  );
}
