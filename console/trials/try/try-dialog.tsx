import { useLocation } from "preact-iso/router";
import { useEffect, useRef, useState } from "preact/hooks";
import { useResource } from "../../api/use-resource.ts";
import type { Agent, Schemas } from "../../api/types.ts";
import { agents, readAgents } from "../../state/agents.ts";
import { keyNames, useShortcuts } from "../../state/keyboard.ts";
import { pageUrl } from "../../state/url.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../ui/fields/button.tsx";
import { Choice, Dialog } from "../../ui/dialogs/dialog.tsx";
import { Check } from "../../ui/fields/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Estimate, newHosts } from "./estimate.tsx";
import {
  createTrial,
  deleteTrial,
  readRefused,
  readSuites,
  startTrial,
  type Trial,
  type TrialCase,
} from "../trial-calls.ts";
import { firstSettings, requestOf, type TrySettings, TrySettingsFields } from "./try-settings.tsx";

interface TryDialogProps {
  agent: Agent;
  draft: Schemas["AgentDefinition"];
  onClose: () => void;
}

interface Estimated {
  trial: Trial;
  refused: TrialCase[];
}

/** Tries a draft on recent turns of its agent. The estimate calls no model; a person starts the trial after it. */
export function TryDialog({ agent, draft, onClose }: TryDialogProps) {
  const { route } = useLocation();
  const unit = draft.prices && agent.definition.prices ? "dollars" : "tokens";
  const [settings, setSettings] = useState(() => firstSettings(unit));
  const { data: suites = [] } = useResource(agent.id, () => readSuites(agent.id));
  const judges = (agents.value ?? []).filter(({ organization_id: of }) => of === agent.organization_id);
  useEffect(() => {
    // Without the list, a trial has no judge to choose.
    if (!agents.value) readAgents().catch(() => undefined);
  }, []);
  const [estimated, setEstimated] = useState<Estimated>();
  const [mayReceive, setMayReceive] = useState(false);
  const { isBusy, problem, setProblem, run } = useAction();

  // A trial that is not started is deleted when the dialog closes, and before the next estimate.
  const unstarted = useRef<string | undefined>(undefined);
  const discard = (): void => {
    if (unstarted.current !== undefined) deleteTrial(unstarted.current).catch(() => undefined);
    unstarted.current = undefined;
  };
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
      discard();
    },
    [],
  );

  function change(next: TrySettings): void {
    setSettings(next);
    setEstimated(undefined);
    setMayReceive(false);
    discard();
  }

  function estimate(): void {
    const request = requestOf(settings, unit, draft);
    if (typeof request === "string") return setProblem(request);
    void run(async () => {
      const trial = await createTrial(agent.id, request);
      unstarted.current = trial.id;
      if (!isOpen.current) return discard();
      setEstimated({ trial, refused: await readRefused(trial.id) });
    });
  }

  const hosts = estimated ? newHosts(estimated.trial) : [];
  const isReady = !isBusy && estimated !== undefined && estimated.trial.estimate.cases > 0;
  const mayStart = isReady && (hosts.length === 0 || mayReceive);
  function start(): void {
    if (!estimated || !mayStart) return;
    const { id } = estimated.trial;
    void run(async () => {
      await startTrial(id);
      unstarted.current = undefined;
      // The trial keeps the draft: Back shows it again.
      history.replaceState(history.state, "", pageUrl(`agents/${agent.id}`, { tab: "edit", trial: id }));
      route(pageUrl(`trials/${id}`));
    });
  }
  useShortcuts("Try", [
    { keys: "mod+Enter", label: "Estimate or start", inDialogs: true, run: estimated ? start : estimate },
  ]);
  const hint = keyNames("mod+Enter").join("");

  return (
    <Dialog
      title="Try on recent runs"
      class="try-dialog"
      onClose={onClose}
      footer={
        <Choice onCancel={onClose}>
          {estimated ? (
            <Button kind="primary" icon="play" hint={hint} disabled={!mayStart} onClick={start}>
              Start trial
            </Button>
          ) : (
            <Button kind="primary" hint={hint} disabled={isBusy} onClick={estimate}>
              {isBusy ? "Estimating…" : "Estimate"}
            </Button>
          )}
        </Choice>
      }
    >
      <p class="muted">
        The draft is tried on recent turns of this agent, before it is saved. Nothing is called or sent before you
        start.
      </p>
      <TrySettingsFields
        settings={settings}
        unit={unit}
        suites={suites}
        judges={judges}
        disabled={isBusy}
        onChange={change}
      />
      <Problem>{problem}</Problem>
      {estimated && <Estimate {...estimated} />}
      {hosts.length > 0 && (
        <Check checked={mayReceive} onChange={setMayReceive}>
          Send this to <bdi>{hosts.join(", ")}</bdi>
        </Check>
      )}
    </Dialog>
  );
}
