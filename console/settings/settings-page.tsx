import { usePageTitle } from "../state/page-title.ts";
import { pageUrl, useQuery } from "../state/url.ts";
import { AuditTab } from "./audit-tab.tsx";
import { BrowserTab } from "./browser-tab.tsx";
import { OperatorsTab } from "./operators-tab.tsx";

const tabs = [
  ["", "Operators"],
  ["audit", "Audit log"],
  ["browser", "This browser"],
] as const;

/** Who may use the console, what they did, and what this browser remembers. */
export function SettingsPage() {
  usePageTitle("Settings");
  const [query] = useQuery();
  const tab = tabs.find(([name]) => name === query["tab"])?.[0] ?? "";
  return (
    <main class="page settings-page">
      <div class="page-head">
        <h1>Settings</h1>
      </div>
      <div class="tabs">
        {tabs.map(([name, title]) => (
          <a key={name} href={pageUrl("settings", { tab: name })} aria-current={name === tab ? "page" : undefined}>
            {title}
          </a>
        ))}
      </div>
      {tab === "" && <OperatorsTab />}
      {tab === "audit" && <AuditTab />}
      {tab === "browser" && <BrowserTab />}
    </main>
  );
}
