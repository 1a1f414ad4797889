import { effect } from "@preact/signals";
import type { Schemas } from "../api/types.ts";
import { askKinds } from "../run/waiting/ask-kinds.ts";
import { toolLabel } from "../run/text/tool-name.tsx";
import { visibleLine } from "../run/text/visible.ts";
import { waiting } from "../state/waiting.ts";

/** Notifies about calls that begin to wait from now on. Returns how to stop. */
export function notifyAboutWaiting(): () => void {
  let known: Set<string> | undefined;
  return effect(() => {
    const runs = waiting.value?.data;
    if (!runs) return;
    const calls = runs.flatMap(({ run, open_calls: open }) =>
      open.map((call) => ({ run, call, key: `${run.id} ${call.id}` })),
    );
    const before = known;
    known = new Set([...(before ?? []), ...calls.map(({ key }) => key)]);
    if (before) for (const each of calls) if (!before.has(each.key)) notify(each);
  });
}

interface WaitingCall {
  run: Schemas["Run"];
  call: Schemas["OpenCall"];
  key: string;
}

function notify({ run, call, key }: WaitingCall): void {
  if (Notification.permission !== "granted") return;
  const title = `${askKinds[call.kind].word}: ${toolLabel(call.name)}`;
  try {
    const shown = new Notification(title, { body: visibleLine(run.name || run.id, 100), tag: key });
    shown.addEventListener("click", () => {
      focus();
      location.assign(`/console/runs/${run.id}`);
    });
  } catch {
    // Chromium on Android has notifications of service workers only.
  }
}
