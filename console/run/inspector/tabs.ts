export type TabId = "call" | "tools" | "files" | "cost";

/** Tabs of the inspector, in the order of their keys 1 to 4. */
export const tabs: { id: TabId; name: string }[] = [
  { id: "call", name: "Call" },
  { id: "tools", name: "Tools" },
  { id: "files", name: "Files" },
  { id: "cost", name: "Cost" },
];

/** The tab that a URL names. */
export function tabAt(name: string | undefined): TabId {
  return tabs.find(({ id }) => id === name)?.id ?? "call";
}
