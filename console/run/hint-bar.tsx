import { connection } from "../api/connection.ts";
import { formatDuration } from "../format.ts";
import { useNow } from "../ui/time.tsx";
import type { RunStore } from "./run-store.ts";

const hints: [string[], string][] = [
  [["[", "]"], "Step"],
  [["J", "K"], "Row"],
  [["←", "→"], "Call of the step"],
  [["E"], "Errors only"],
  [["T"], "Thinking"],
  [["F"], "Follow"],
  [["I"], "Send input"],
  [["?"], "All shortcuts"],
];

const answerHints: typeof hints = [
  [["A"], "Allow"],
  [["D"], "Deny"],
  [["W"], "Next open call"],
];

/** Hints that give way to them. */
const seldom = new Set(["Call of the step", "Errors only", "Thinking", "Follow"]);

const operatorsOnly = new Set(["Send input", "All shortcuts"]);

/** Keys of the page, and how old what it shows is. */
export function HintBar({ store, readOnly }: { store: RunStore; readOnly: boolean }) {
  const waits = store.waiting.value && !readOnly;
  const shown = waits ? [...answerHints, ...hints.filter(([, name]) => !seldom.has(name))] : hints;
  return (
    <footer class="hint-bar">
      {shown.map(([keys, name]) =>
        readOnly && operatorsOnly.has(name) ? null : (
          <span key={name}>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}{" "}
            {name}
          </span>
        ),
      )}
      <LastEvent store={store} />
    </footer>
  );
}

function LastEvent({ store }: { store: RunStore }) {
  void store.version.value;
  const now = Math.max(useNow(), store.now.value);
  const { lastAt } = store.model;
  if (lastAt === undefined) return null;
  const live = connection.value.state === "live";
  return (
    <span class="right">
      {live ? "Connected" : "Not connected"}, last event {formatDuration(Math.max(0, now - lastAt))} ago
    </span>
  );
}
