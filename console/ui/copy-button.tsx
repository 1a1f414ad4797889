import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";

interface CopyButtonProps {
  /** The text, or how to get it. */
  text: string | (() => string | Promise<string>);
  /** The button's word. */
  children?: string;
  size?: "small";
  kind?: "plain" | "primary";
  onCopied?: () => void;
}

/** Copies a text; says so for two seconds. */
export function CopyButton({ text, children = "Copy", size = "small", kind, onCopied }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    await copyText(typeof text === "string" ? text : await text());
    setCopied(true);
    onCopied?.();
  };
  return (
    <Button size={size} {...(kind && { kind })} icon={copied ? "check" : "copy"} onClick={() => void copy()}>
      {copied ? "Copied" : children}
    </Button>
  );
}

/** Puts a text on the clipboard, also where the page has no secure context (an address other than localhost over http). */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
