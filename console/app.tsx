import type { ComponentType } from "preact";
import lazy from "preact-iso/lazy";
import { LocationProvider, Route, Router, useLocation } from "preact-iso/router";
import { useEffect } from "preact/hooks";
import { Gate } from "./shell/gate.tsx";
import { PageBoundary, PageNotLoaded } from "./shell/page-boundary.tsx";
import { sections } from "./shell/sections.ts";
import { Shell } from "./shell/shell.tsx";
import { StartRoute } from "./start/start-route.tsx";
import { retryNow } from "./api/connection.ts";
import { handleKey } from "./state/keyboard.ts";
import { usePageTitle } from "./state/page-title.ts";
import { refused, token } from "./api/session.ts";
import { Empty } from "./ui/empty.tsx";
import { withStyle } from "./ui/load-style.ts";

const RunsPage = page(() => import("./runs/runs-page.tsx").then((module) => module.RunsPage));
const RunPage = page(() => import("./run/run-page.tsx").then((module) => module.RunPage));
const AgentPage = page(() => configure().then((module) => module.AgentPage));
const TrialPage = page(() => configure().then((module) => module.TrialPage));
const TextsPage = page(() => configure().then((module) => module.TextsPage));
const configurePages = sections.flatMap(({ path }) =>
  path === "runs" ? [] : [{ path, Page: page(() => configure().then(({ pages }) => pages[path])) }],
);

function configure() {
  return withStyle(import("./configure.ts"));
}

/** A page whose code is loaded when it is first shown. */
function page(load: () => Promise<ComponentType>): ComponentType {
  return lazy(() => load().catch(() => PageNotLoaded));
}

/** The whole console: pages in the shell, or the screen that says how to sign in. */
export function App() {
  useEffect(() => {
    const retryIfVisible = (): void => {
      if (document.visibilityState === "visible") retryNow.value++;
    };
    addEventListener("keydown", handleKey);
    addEventListener("online", retryIfVisible);
    document.addEventListener("visibilitychange", retryIfVisible);
    return () => {
      removeEventListener("keydown", handleKey);
      removeEventListener("online", retryIfVisible);
      document.removeEventListener("visibilitychange", retryIfVisible);
    };
  }, []);
  if (token.value === undefined || refused.value !== undefined) return <Gate />;
  return (
    <LocationProvider scope="/console">
      <Shell>
        <Pages />
      </Shell>
    </LocationProvider>
  );
}

function Pages() {
  const { path } = useLocation();
  return (
    <PageBoundary path={path}>
      <Router>
        <Route path="/console" component={RunsPage} />
        <Route path="/console/runs" component={RunsPage} />
        <Route path="/console/start" component={StartRoute} />
        <Route path="/console/runs/:id" component={RunPage} />
        <Route path="/console/agents/:id" component={AgentPage} />
        <Route path="/console/trials/:id" component={TrialPage} />
        <Route path="/console/texts" component={TextsPage} />
        {configurePages.map((section) => (
          <Route key={section.path} path={`/console/${section.path}`} component={section.Page} />
        ))}
        <Route default component={NotFound} />
      </Router>
    </PageBoundary>
  );
}

function NotFound() {
  usePageTitle("Not found");
  return (
    <main class="page">
      <Empty title="This page does not exist" wholePage>
        <a class="button" href="/console/runs">
          Show runs
        </a>
      </Empty>
    </main>
  );
}
