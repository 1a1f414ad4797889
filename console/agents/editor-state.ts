import { changesOf } from "../form/changes.ts";
import { formatDraft, parseDraft } from "../form/json-text.ts";
import type { Draft, Json, Path } from "../form/json.ts";
import { withValue } from "../form/json.ts";
import { withServerUrl } from "./form/mcp-url.ts";

/** What the editor works on: the form and the text show the same draft. */
export interface EditorState {
  stored: Draft;
  draft: Draft;
  text: string;
  /** Why the text cannot be read. The draft is then the last one that could. */
  problem: string | undefined;
}

export function editorOf(stored: Draft, draft: Draft = stored): EditorState {
  return { stored, draft, text: formatDraft(draft), problem: undefined };
}

/** An edit in the form. It replaces the text. */
export function withField(state: EditorState, path: Path, value: Json | undefined): EditorState {
  const isServerUrl = path[0] === "mcp" && path.length === 3 && path[2] === "url";
  const url = typeof value === "string" ? value : undefined;
  const draft = isServerUrl
    ? withServerUrl(state.stored, state.draft, path.slice(0, 2), url)
    : withValue(state.draft, path, value);
  return { ...state, draft, text: formatDraft(draft), problem: undefined };
}

/** An edit of the text. The form follows as soon as it can be read. */
export function withText(state: EditorState, text: string): EditorState {
  const parsed = parseDraft(text);
  if ("problem" in parsed) return { ...state, text, problem: parsed.problem };
  return { ...state, text, draft: parsed.draft, problem: undefined };
}

/** The editor after `sent` was stored. What was typed while it was being stored stays. */
export function afterSave(state: EditorState, sent: Draft, stored: Draft): EditorState {
  const isUntouched = state.draft === sent && state.problem === undefined;
  return isUntouched ? editorOf(stored) : { ...state, stored };
}

/** Whether anything would be lost. */
export function isEdited({ stored, draft, problem }: EditorState): boolean {
  return problem !== undefined || changesOf(stored, draft).length > 0;
}
