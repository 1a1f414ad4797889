import { lastResult } from "../model/last-result.ts";
import type { RunModel } from "../model/run-model.ts";

export type TabId = "result" | "call" | "tools" | "files" | "cost";

interface Tab {
  id: TabId;
  name: string;
}

const tabs: Tab[] = [
  { id: "result", name: "Result" },
  { id: "call", name: "Call" },
  { id: "tools", name: "Tools" },
  { id: "files", name: "Files" },
  { id: "cost", name: "Cost" },
];

/** Tabs of the inspector, in the order of their keys from 1. Only a run with a schema has a result. */
export function tabsOf(model: RunModel): Tab[] {
  return lastResult(model) ? tabs : tabs.slice(1);
}

/** The tab that a URL names. */
export function tabAt(model: RunModel, name: string | undefined): TabId | undefined {
  return tabsOf(model).find(({ id }) => id === name)?.id;
}
