import lazy, { ErrorBoundary } from "preact-iso/lazy";
import { LocationProvider, Route, Router } from "preact-iso/router";
import { useEffect } from "preact/hooks";
import { RunsPage } from "./runs/runs-page.tsx";
import { Gate } from "./shell/gate.tsx";
import { Shell } from "./shell/shell.tsx";
import { handleKey } from "./state/keyboard.ts";
import { refused, token } from "./state/session.ts";
import { Empty } from "./ui/empty.tsx";

const RunPage = lazy(() => import("./run/run-page.tsx").then((module) => module.RunPage));
const AgentsPage = lazy(() => import("./agents/agents-page.tsx").then((module) => module.AgentsPage));
const AgentPage = lazy(() => import("./agents/agent-page.tsx").then((module) => module.AgentPage));
const ModelsPage = lazy(() => import("./models/models-page.tsx").then((module) => module.ModelsPage));
const UsagePage = lazy(() => import("./usage/usage-page.tsx").then((module) => module.UsagePage));
const SettingsPage = lazy(() => import("./settings/settings-page.tsx").then((module) => module.SettingsPage));

/** The whole console: pages in the shell, or the screen that says how to sign in. */
export function App() {
  useEffect(() => {
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, []);
  if (token.value === undefined || refused.value) return <Gate />;
  return (
    <LocationProvider scope="/console">
      <Shell>
        <ErrorBoundary>
          <Router>
            <Route path="/console" component={RunsPage} />
            <Route path="/console/runs" component={RunsPage} />
            <Route path="/console/runs/:id" component={RunPage} />
            <Route path="/console/agents" component={AgentsPage} />
            <Route path="/console/agents/:id" component={AgentPage} />
            <Route path="/console/models" component={ModelsPage} />
            <Route path="/console/usage" component={UsagePage} />
            <Route path="/console/settings" component={SettingsPage} />
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </Shell>
    </LocationProvider>
  );
}

function NotFound() {
  return (
    <main class="page">
      <Empty title="This page does not exist">
        <a class="button" href="/console/runs">
          Show runs
        </a>
      </Empty>
    </main>
  );
}
