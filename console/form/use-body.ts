import { useState } from "preact/hooks";
import { bodyOf, draftOf, isComplete } from "./body.ts";
import { changesOf } from "./changes.ts";
import type { FormState } from "./form-state.ts";
import { type Draft, type Json, type Path, pathText, withValue } from "./json.ts";
import { messagesOf, otherText } from "./detail.ts";
import { noMessages } from "./messages.ts";
import type { Field } from "./schema-fields.ts";

interface Options extends Pick<FormState, "readOnly" | "focused"> {
  /** A draft with another value at a path. Default: only that value changes. */
  change?: (draft: Draft, path: Path, value: Json | undefined) => Draft;
}

interface BodyForm<Body> {
  form: FormState;
  body: Body;
  isChanged: boolean;
  isComplete: boolean;
  isBusy: boolean;
  /** Why the body was rejected, as far as no field is concerned. */
  problem: string | undefined;
  setDraft: (draft: Draft) => void;
  /** Sends the body, unless one is being sent. A rejection is shown at the fields. `keeps`: the draft stays, because nothing was stored. */
  send: (work: (body: Body) => Promise<unknown>, keeps?: boolean) => Promise<void>;
}

/** The state of a form of a body. `stored`: what it begins with, and is compared with. */
export function useBody<Body>(
  fields: Field[],
  stored: object,
  { readOnly, change = withValue, ...more }: Options,
): BodyForm<Body> {
  const before = draftOf(stored, fields);
  const [draft, setDraft] = useState<Draft>(before);
  const [messages, setMessages] = useState(noMessages);
  const [isBusy, setBusy] = useState(false);
  const changes = changesOf(before, draft);
  const body = bodyOf(draft, fields) as Body;
  const form: FormState = {
    ...more,
    stored: before,
    draft,
    changes: new Map(changes.map((each) => [pathText(each.path), each])),
    messages,
    set: (path, value) => setDraft((now) => change(now, path, value)),
    readOnly,
  };
  async function send(work: (body: Body) => Promise<unknown>, keeps = false): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    setMessages(noMessages);
    try {
      await work(body);
      if (!keeps) setDraft((now) => (now === draft ? draftOf(body as object, fields) : now)); // what was typed in the meantime stays
    } catch (error) {
      setMessages(messagesOf(error, fields));
    } finally {
      setBusy(false);
    }
  }
  const problem = otherText(messages);
  return {
    form,
    body,
    isChanged: changes.length > 0,
    isComplete: isComplete(draft, fields),
    isBusy,
    problem,
    setDraft,
    send,
  };
}
