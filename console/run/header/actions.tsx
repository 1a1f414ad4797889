import { blocked } from "../../state/blocked.ts";
import { Button } from "../../ui/fields/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu } from "../../ui/dialogs/menu.tsx";
import type { RunDetail } from "../api.ts";
import { type ExportFormat, exportFormats } from "../export/export-formats.ts";
import { loadLater } from "../../ui/load-later.tsx";
import type { Language } from "../../programs/languages.ts";

const CopyItems = loadLater(() => import("./action-items.tsx").then((module) => module.CopyItems));
const MoreItems = loadLater(() => import("./action-items.tsx").then((module) => module.MoreItems));

export type RunDialog = "input" | "stop" | "delete" | "share" | { copy: Language };

export interface ActionProps {
  detail: RunDetail;
  readOnly: boolean;
  stopping: boolean;
  onOpen: (dialog: RunDialog) => void;
  onAgain: () => void;
  onLink: () => void;
  onExport: (format: ExportFormat | "bundle") => void;
}

/** What an operator can do with the run, the likeliest first. What they may not do now is disabled, with the reason. */
export function Actions({ detail, readOnly, stopping, onOpen, onAgain, onLink, onExport }: ActionProps) {
  if (readOnly) {
    return (
      <div class="run-actions">
        {exportFormats.map((format) => (
          <Button key={format} icon="download" onClick={() => onExport(format)}>
            Export as {format}
          </Button>
        ))}
      </div>
    );
  }
  const stopped = detail.state === "terminated" || detail.state === "technical_error";
  const noInput = detail.imported_from
    ? "The run was imported. Fork it instead."
    : stopped
      ? "The run has ended. Run it again instead."
      : undefined;
  const running = detail.status === "running";
  const sendInput = (
    <Button
      icon="send"
      blocked={blocked("send inputs", detail.organization_id) ?? noInput}
      onClick={() => onOpen("input")}
    >
      Send input
    </Button>
  );
  return (
    <div class="run-actions">
      {stopped && <AgainButton onAgain={onAgain} />}
      {stopped ? <span class="wide">{sendInput}</span> : sendInput}
      {running && (
        <Button
          kind="danger"
          icon="stop"
          blocked={blocked("stop runs", detail.organization_id)}
          disabled={stopping}
          onClick={() => onOpen("stop")}
        >
          {stopping ? "Stopping…" : "Stop"}
        </Button>
      )}
      {!stopped && (
        <span class="wide">
          <AgainButton onAgain={onAgain} />
        </span>
      )}
      <span class="wide">
        <Menu
          label={
            <>
              Copy as <Icon name="down" />
            </>
          }
          align="end"
        >
          <CopyItems onOpen={onOpen} />
        </Menu>
      </span>
      <Menu label={<Icon name="more" />} name="More actions" class="button icon-only" align="end">
        <MoreItems detail={detail} onOpen={onOpen} onAgain={onAgain} onLink={onLink} onExport={onExport} />
      </Menu>
    </div>
  );
}

function AgainButton({ onAgain }: Pick<ActionProps, "onAgain">) {
  return (
    <Button icon="again" blocked={blocked("start runs")} onClick={onAgain}>
      Run again…
    </Button>
  );
}
