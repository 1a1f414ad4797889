import { signal } from "@preact/signals";

interface Message {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
}

const messages = signal<Message[]>([]);
const shownMs = 6_000;
let last = 0;

/** Says what the operator did elsewhere on the page, such as "Link copied". Not for errors of a form. */
export function toast(text: string, action?: Message["action"]): void {
  const id = ++last;
  messages.value = [...messages.value, { id, text, ...(action && { action }) }];
  const remove = (): void => {
    // A pointer over the messages keeps them.
    if (document.querySelector(".toasts:hover")) setTimeout(remove, 1_000);
    else messages.value = messages.value.filter((message) => message.id !== id);
  };
  setTimeout(remove, shownMs);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {messages.value.map(({ id, text, action }) => (
        <div key={id} class="toast">
          {text}
          {action && (
            <button type="button" class="button small" onClick={action.run}>
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
