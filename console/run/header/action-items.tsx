import { useLocation } from "preact-iso/router";
import { languages } from "../../programs/languages.ts";
import { blocked } from "../../state/blocked.ts";
import { Icon } from "../../ui/icon.tsx";
import { exportFormats } from "../export/export-formats.ts";
import type { ActionProps } from "./actions.tsx";

/** The languages of programs that do the same. */
export function CopyItems({ onOpen }: Pick<ActionProps, "onOpen">) {
  return (
    <>
      {languages.map(([language, name]) => (
        <button type="button" onClick={() => onOpen({ copy: language })}>
          {name}
        </button>
      ))}
    </>
  );
}

function notYet({ status }: ActionProps["detail"]): string | undefined {
  return status === "running" ? "The turn has not ended." : "Everything that is recorded, with files, as one file";
}

/** What is seldom done with a run. On a narrow screen, all that has no button there. */
export function MoreItems({ detail, onOpen, onAgain, onLink, onExport }: Omit<ActionProps, "stopping" | "readOnly">) {
  const [again, remove] = [blocked("start runs"), blocked("delete runs", detail.organization_id)];
  const { route } = useLocation();
  const share = detail.imported_from
    ? "An imported run is not shared. Share its bundle."
    : blocked("share runs", detail.organization_id);
  return (
    <>
      <button type="button" onClick={onLink}>
        <Icon name="link" /> Copy link
      </button>
      <button type="button" disabled={share !== undefined} title={share} onClick={() => onOpen("share")}>
        <Icon name="upload" /> Share…
      </button>
      <button type="button" onClick={() => route(`/console/trials/compare?left=${detail.id}`)}>
        <Icon name="runs" /> Compare with…
      </button>
      {exportFormats.map((format) => (
        <button type="button" onClick={() => onExport(format)}>
          <Icon name="download" /> Export as {format}
        </button>
      ))}
      <button
        type="button"
        disabled={detail.status === "running"}
        title={notYet(detail)}
        onClick={() => onExport("bundle")}
      >
        <Icon name="download" /> Export bundle
      </button>
      <button type="button" class="narrow-only" disabled={again !== undefined} title={again} onClick={onAgain}>
        <Icon name="again" /> Run again…
      </button>
      {languages.map(([language, name]) => (
        <button type="button" class="narrow-only" onClick={() => onOpen({ copy: language })}>
          <Icon name="copy" /> Copy as {name}
        </button>
      ))}
      <hr />
      <button
        type="button"
        class="danger"
        disabled={remove !== undefined}
        title={remove}
        onClick={() => onOpen("delete")}
      >
        <Icon name="trash" /> Delete…
      </button>
    </>
  );
}
