import { useEffect, useState } from "preact/hooks";
import { Button } from "./fields/button.tsx";
import { toast } from "./dialogs/toast.tsx";

interface CopyButtonProps {
  /** The text, or how to get it. */
  text: string | (() => string | Promise<string>);
  /** The button's word. */
  children?: string;
  size?: "small";
  kind?: "plain" | "primary";
  onCopied?: () => void;
}

/** Copies a text; says so for two seconds, or that it failed. */
export function CopyButton({ text, children = "Copy", size = "small", kind, onCopied }: CopyButtonProps) {
  const [result, setResult] = useState<"copied" | "failed">();
  useEffect(() => {
    if (result === undefined) return undefined;
    const timer = setTimeout(() => setResult(undefined), result === "copied" ? 2_000 : 6_000);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = async (): Promise<void> => {
    try {
      await copyText(typeof text === "string" ? text : await text());
    } catch {
      setResult("failed");
      return;
    }
    setResult("copied");
    onCopied?.();
  };
  const icon = { copied: "check", failed: "warning", none: "copy" } as const;
  const words = { copied: "Copied", failed: copyFailed, none: children };
  return (
    <Button size={size} {...(kind && { kind })} icon={icon[result ?? "none"]} onClick={() => void copy()}>
      {words[result ?? "none"]}
    </Button>
  );
}

const copyFailed = "Copy failed: select the text";

/** Copies a text that has no button with a word, and says so in a message. */
export function copyAndSay(text: string, said: string): void {
  copyText(text).then(
    () => toast(said),
    () => toast("Copy failed"),
  );
}

/** Puts a text on the clipboard, also where the page has no secure context (an address other than localhost over http). Rejects if the browser refuses. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  const focused = document.activeElement;
  // Everything outside of an open dialog is inert: it cannot be selected.
  const parent = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  parent.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!isCopied) throw new Error("The browser did not copy the text.");
}
