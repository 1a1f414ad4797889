import type { Run } from "../api/types.ts";
import { agents } from "../state/agents.ts";
import { shortcutGroups } from "../state/keyboard.ts";
import { endSession } from "../api/provider.ts";
import { setTheme, themes } from "../state/theme.ts";
import { pageUrl } from "../state/url.ts";
import type { IconName } from "../ui/icon.tsx";
import { runStates } from "../ui/status.tsx";
import { sections } from "./sections.ts";

/** Something that the palette opens or does. */
export type Choice = {
  icon: IconName;
  name: string;
  /** Shown at the end of the row. */
  note?: string;
  /** The shortcut that does the same. */
  keys?: string;
  /** Class of the icon. */
  tone?: string;
} & ({ href: string } | { run: () => void });

export interface ChoiceGroup {
  title: "Runs" | "Agents" | "Commands";
  choices: Choice[];
}

const most = { runs: 8, agents: 5, commands: 16 };

/** What a text finds, in groups that are not empty. `runs`: those that the service found. */
export function findChoices(text: string, runs: Run[]): ChoiceGroup[] {
  const wanted = text.trim();
  const matches = ({ name }: { name: string }): boolean => name.toLowerCase().includes(wanted.toLowerCase());
  const groups: ChoiceGroup[] = [
    { title: "Runs", choices: runs.slice(0, wanted === "" ? 4 : most.runs).map(runChoice) },
    { title: "Agents", choices: wanted === "" ? [] : agentChoices().filter(matches).slice(0, most.agents) },
    {
      title: "Commands",
      choices: [
        ...commands().filter(matches).slice(0, most.commands),
        ...(wanted === "" ? [] : findEverywhere(wanted)),
      ],
    },
  ];
  return groups.filter(({ choices }) => choices.length > 0);
}

function runChoice({ id, name, state, agent_name }: Run): Choice {
  const { icon, word } = runStates[state];
  const note = [agent_name, word.toLowerCase()].filter(Boolean).join(", ");
  return { icon, name: name || id, note, tone: `status ${state}`, href: pageUrl(`runs/${id}`) };
}

function agentChoices(): Choice[] {
  return (agents.value ?? []).map(({ id, name, status, model }) => ({
    icon: "agent",
    name,
    note: status === "active" ? (model ?? "") : status,
    href: pageUrl(`agents/${id}`),
  }));
}

function findEverywhere(text: string): Choice[] {
  const inNames = pageUrl("runs", { q: text, since: "all" });
  return [
    { icon: "search", name: `Find “${text}” in the names and inputs of all runs`, href: inNames },
    { icon: "search", name: `Find “${text}” in all recorded texts`, href: pageUrl("texts", { q: text }) },
  ];
}

/** Shortcuts that need the rows of the page under the palette. */
const inLists = new Set(["j", "k", "[", "]", "Enter", "mod+Enter"]);

/** The shortcuts of the page, the sections, and what has no shortcut. */
function commands(): Choice[] {
  const shortcuts = shortcutGroups.value
    .flatMap((group) => group.shortcuts)
    .filter(
      ({ keys, label }) => label !== undefined && keys !== "mod+k" && !keys.startsWith("g ") && !inLists.has(keys),
    )
    .map<Choice>(({ keys, label = "", run, icon = "bolt" }) => ({ icon, name: label, keys, run }));
  return [
    ...shortcuts,
    ...sections.map<Choice>(({ path, name, icon, key }) => ({
      icon,
      name: `Go to ${name}`,
      keys: `g ${key}`,
      href: pageUrl(path),
    })),
    {
      icon: "warning",
      name: "Review today’s technical errors",
      note: "Runs",
      href: pageUrl("runs", { status: "technical_error", since: "24h" }),
    },
    { icon: "key", name: "Revoke an operator link…", note: "Settings", href: pageUrl("settings") },
    ...themes.map<Choice>((theme) => ({
      icon: "moon",
      name: { system: "Use the theme of the system", light: "Use the light theme", dark: "Use the dark theme" }[theme],
      run: () => setTheme(theme),
    })),
    { icon: "user", name: "Sign out of this browser", run: endSession },
  ];
}
