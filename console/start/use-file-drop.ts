import { useEffect, useRef, useState } from "preact/hooks";

/**
 * Takes files that are dropped anywhere on the window, or pasted. Returns how many are being dragged over it; 0: none.
 * `onFolder` is called instead for a folder, which cannot be sent.
 */
export function useFileDrop(onFiles: (files: File[]) => void, onFolder: () => void): number {
  const [dragged, setDragged] = useState(0);
  const latest = useRef({ onFiles, onFolder });
  latest.current = { onFiles, onFolder };
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDragged([...(event.dataTransfer?.items ?? [])].filter(({ kind }) => kind === "file").length || 1);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setDragged(0);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDragged(0);
      const items = [...(event.dataTransfer?.items ?? [])];
      if (items.some((item) => item.webkitGetAsEntry()?.isDirectory)) latest.current.onFolder();
      else latest.current.onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    const paste = (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0 || isTextForField(event)) return;
      event.preventDefault();
      latest.current.onFiles(files);
    };
    addEventListener("dragenter", over, { signal });
    addEventListener("dragover", over, { signal });
    addEventListener("dragleave", leave, { signal });
    addEventListener("drop", drop, { signal });
    addEventListener("paste", paste, { signal });
    return () => controller.abort();
  }, []);
  return dragged;
}

/** Whether a text is pasted into a text field. Office programs put a picture of the text beside it. */
function isTextForField({ target, clipboardData }: ClipboardEvent): boolean {
  const isField = target instanceof Element && target.matches("textarea, input");
  return isField && (clipboardData?.types.includes("text/plain") ?? false);
}
