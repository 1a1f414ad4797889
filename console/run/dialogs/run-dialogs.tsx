import { useEffect, useState } from "preact/hooks";
import { Confirm } from "../../ui/dialogs/confirm.tsx";
import type { RunApi, RunDetail } from "../api.ts";
import type { RunDialog } from "../header/actions.tsx";
import type { RunStore } from "../run-store.ts";
import { count } from "../text/words.ts";
import { CopyDialog } from "./copy-dialog.tsx";
import { InputDialog } from "./input-dialog.tsx";
import { ShareDialog } from "./share-dialog.tsx";

interface Props {
  dialog: RunDialog;
  store: RunStore;
  api: RunApi;
  detail: RunDetail;
  onClose: () => void;
  onStopped: () => void;
  onDeleted: () => void;
}

/** The dialog that is open. */
export function RunDialogs({ dialog, store, api, detail, onClose, onStopped, onDeleted }: Props) {
  switch (dialog) {
    case "input":
      return <InputDialog running={detail.status === "running"} send={(text) => api.input(text)} onClose={onClose} />;
    case "stop":
      return (
        <Confirm
          danger
          title="Stop this run?"
          action="Stop run"
          cancel="Keep running"
          onConfirm={() => api.stop().then(onStopped)}
          onClose={onClose}
        >
          The step in progress is dropped. Finished steps and files stay.
        </Confirm>
      );
    case "delete":
      return <DeleteDialog api={api} onClose={onClose} onDeleted={onDeleted} />;
    case "share":
      return <ShareDialog api={api} onClose={onClose} />;
    default:
      return (
        <CopyDialog
          store={store}
          detail={detail}
          first={dialog.copy}
          // The files before the first step. Inputs after the first bring none.
          uploads={async () => (await api.files("1.0")).map(({ name }) => name)}
          onClose={onClose}
        />
      );
  }
}

function DeleteDialog({ api, onClose, onDeleted }: Pick<Props, "api" | "onClose" | "onDeleted">) {
  const [files, setFiles] = useState<number>();
  useEffect(() => {
    api.files(undefined).then(
      (list) => setFiles(list.length),
      () => undefined, // the number is only said if it is known
    );
  }, [api]);
  return (
    <Confirm
      danger
      title="Delete this run?"
      action="Delete run"
      onConfirm={() => api.remove().then(onDeleted)}
      onClose={onClose}
    >
      Transcript, steps and {files === undefined ? "files" : count(files, "file")} go for good.
    </Confirm>
  );
}
