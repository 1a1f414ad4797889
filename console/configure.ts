import type { ComponentType } from "preact";
import { AgentsPage } from "./agents/list/agents-page.tsx";
import { ErrorsPage } from "./errors/errors-page.tsx";
import { ModelsPage } from "./models/models-page.tsx";
import { SettingsPage } from "./settings/settings-page.tsx";
import type { SectionPath } from "./shell/sections.ts";
import { UsagePage } from "./usage/usage-page.tsx";
import { WaitingPage } from "./waiting/waiting-page.tsx";

/*
 * The pages that configure the service, in one file of the built page: they share most of their components, and compress
 * to 4 KiB less than in a file each.
 */
export { AgentPage } from "./agents/agent-page.tsx";
export { TextsPage } from "./texts/texts-page.tsx";
export { TrialPage } from "./trials/trial-page.tsx";

/** By the path of their section. */
export const pages: Record<Exclude<SectionPath, "runs">, ComponentType> = {
  waiting: WaitingPage,
  agents: AgentsPage,
  models: ModelsPage,
  errors: ErrorsPage,
  usage: UsagePage,
  settings: SettingsPage,
};
