import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { useEffect } from "preact/hooks";
import { connection } from "../api/connection.ts";
import { poll } from "../api/poll.ts";
import { call } from "../api/client.ts";
import { readAgents } from "../state/agents.ts";
import { helpOpen, openStart, paletteOpen, startDialog } from "../state/dialogs.ts";
import { everywhere, useShortcuts } from "../state/keyboard.ts";
import { leaving, useNavigate } from "../state/leave-guard.ts";
import { organization, readOrganizations } from "../state/organization.ts";
import { notifies, readWaiting } from "../state/waiting.ts";
import { me } from "../api/session.ts";
import { copyText } from "../ui/copy-button.tsx";
import { loadLater } from "../ui/load-later.tsx";
import { withStyle } from "../ui/load-style.ts";
import { toast, Toasts } from "../ui/dialogs/toast.tsx";
import { ConnectionBanner } from "./connection.tsx";
import { sections } from "./sections.ts";
import { TopBar } from "./top-bar.tsx";

const StartDialog = loadLater(() =>
  withStyle(import("../start/start-dialog.tsx")).then((module) => module.StartDialog),
);
const Palette = loadLater(() => withStyle(import("./palette.tsx")).then((module) => module.Palette));
const LeaveDialog = loadLater(() => withStyle(import("./leave-dialog.tsx")).then((module) => module.LeaveDialog));
const Help = loadLater(() => withStyle(import("./help.tsx")).then((module) => module.Help));

/** How often the operator, organizations, agents, calls that wait and the connection are polled, in milliseconds. */
const overviewMs = 15_000;

async function readMe(): Promise<void> {
  me.value = await call("get_me", {});
}

/** The bar at the top, the page below it, and the dialogs that every page can open. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    const controller = new AbortController();
    void poll(overviewMs, controller.signal, async () => {
      await Promise.all([readMe(), readOrganizations(), readAgents()]);
    });
    return () => controller.abort();
  }, []);
  useEffect(() => {
    const controller = new AbortController();
    void poll(overviewMs, controller.signal, readWaiting, () => notifies.value);
    return () => controller.abort();
  }, [organization.value?.id]);
  useEffect(() => {
    if (!notifies.value) return undefined;
    const notifying = import("../waiting/notify.ts").then(({ notifyAboutWaiting }) => notifyAboutWaiting());
    return () => void notifying.then((stop) => stop());
  }, [notifies.value]);
  useShortcuts(everywhere, [
    {
      keys: "mod+k",
      label: "Search or run a command",
      inDialogs: true,
      run: () => (paletteOpen.value = !paletteOpen.value),
    },
    { keys: "n", label: "Start run", icon: "plus", run: () => openStart() },
    ...sections.map(({ path: to, name, key }) => ({
      keys: `g ${key}`,
      label: `Go to ${name}`,
      run: () => navigate(`/console/${to}`),
    })),
    {
      keys: "mod+shift+c",
      label: "Copy link to this page",
      icon: "link",
      run: () => void copyText(location.href).then(() => toast("Link copied")),
    },
    { keys: "?", label: "Show all shortcuts", icon: "info", run: () => (helpOpen.value = true) },
  ]);
  const isRun = /^\/console\/runs\/./.test(path);
  return (
    <div class={isRun ? "shell fixed" : "shell"} data-connection={connection.value.state}>
      <TopBar path={path} />
      <ConnectionBanner />
      {children}
      {startDialog.value && <StartDialog />}
      {paletteOpen.value && <Palette />}
      {helpOpen.value && <Help />}
      {leaving.value && <LeaveDialog />}
      <Toasts />
    </div>
  );
}
