/** How the content of a file is shown. `page`: HTML or SVG, only in a frame without scripts. */
export type PreviewKind = "text" | "markdown" | "picture" | "page" | "none";

const pictures: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
};
const pages: Record<string, string> = { html: "text/html", htm: "text/html", svg: "image/svg+xml" };

function extension(name: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
}

/** The type under which a picture or page is shown. Undefined: neither, by its name. */
export function shownType(name: string): string | undefined {
  return pictures[extension(name)] ?? pages[extension(name)];
}

/** How a file is shown, by its name and its first bytes. */
export function previewKind(name: string, head: Uint8Array): PreviewKind {
  if (pictures[extension(name)]) return "picture";
  if (pages[extension(name)]) return "page";
  if (!isText(head)) return "none";
  return ["md", "markdown"].includes(extension(name)) ? "markdown" : "text";
}

/** Whether bytes are UTF-8 without NUL. The last character may be cut. */
export function isText(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
