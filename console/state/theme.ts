import { signal } from "@preact/signals";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "agent-run-service.theme";

/** The chosen theme. `?theme=` in the address overrides it for this visit. */
export const theme = signal<Theme>("system");

export function applyTheme(): void {
  const wanted = new URLSearchParams(location.search).get("theme") ?? localStorage.getItem(storageKey);
  theme.value = themes.find((each) => each === wanted) ?? "system";
  show(theme.value);
}

export function setTheme(next: Theme): void {
  localStorage.setItem(storageKey, next);
  theme.value = next;
  show(next);
}

function show(next: Theme): void {
  if (next === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = next;
}
