import type { IconName } from "../ui/icon.tsx";

interface Section {
  path: string;
  name: string;
  icon: IconName;
  /** The key after G. */
  key: string;
}

/** The main parts of the console. */
export const sections = [
  { path: "runs", name: "Runs", icon: "runs", key: "r" },
  { path: "waiting", name: "Waiting", icon: "ask", key: "w" },
  { path: "agents", name: "Agents", icon: "agent", key: "a" },
  { path: "models", name: "Models", icon: "model", key: "m" },
  { path: "errors", name: "Errors", icon: "warning", key: "e" },
  { path: "usage", name: "Usage", icon: "usage", key: "u" },
  { path: "settings", name: "Settings", icon: "settings", key: "s" },
] as const satisfies Section[];

export type SectionPath = (typeof sections)[number]["path"];
