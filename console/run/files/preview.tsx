import { useEffect, useState } from "preact/hooks";
import { formatBytes } from "../../format.ts";
import { languageOfFile } from "../text/code-language.ts";
import { CodeLines } from "../text/code-text.tsx";
import { MarkdownText } from "../text/markdown-text.tsx";
import { isText, previewKind, shownType } from "./preview-kind.ts";
import { useLoaded } from "./use-loaded.ts";
import { Segments } from "../../ui/fields/segments.tsx";

/** Bytes of a text that are drawn. */
const drawn = 256 * 1024;

type View = "page" | "text";

/** How a page or Markdown can be shown: the first at once. Markup of the run is shown as its source first. */
const views: Record<"page" | "markdown", readonly [first: readonly [View, string], ...(readonly [View, string])[]]> = {
  page: [
    ["text", "Source"],
    ["page", "Frame without scripts"],
  ],
  markdown: [
    ["page", "Rendered"],
    ["text", "Source"],
  ],
};

/** The content of a file: text, a picture, or a page in a frame that runs nothing. */
export function Preview({ name, load }: { name: string; load: () => Promise<Blob> }) {
  const { value, error } = useLoaded("content", async () => {
    const bytes = new Uint8Array(await (await load()).arrayBuffer());
    const head = bytes.subarray(0, drawn);
    const kind = previewKind(name, head.subarray(0, 8_192));
    const text = isText(head.subarray(0, 8_192)) ? new TextDecoder().decode(head) : undefined;
    return { bytes, kind, text };
  });
  const [source, setSource] = useState<View>();
  if (error) {
    return (
      <p class="run-empty" role="alert">
        {error}
      </p>
    );
  }
  if (!value) return <p class="run-empty">Loading…</p>;
  const { bytes, kind, text } = value;
  const asText = text !== undefined && <TextPreview name={name} text={text} size={bytes.length} />;
  if (kind === "picture") return <Picture bytes={bytes} name={name} />;
  if (kind === "text") return <>{asText}</>;
  if (kind === "none")
    return <p class="run-empty">{formatBytes(bytes.length)} that are not text. Download it to open it.</p>;
  const chosen = source ?? views[kind][0][0];
  return (
    <>
      <div class="run-file-head">
        <Segments label="Show page as" options={views[kind]} value={chosen} onChange={setSource} />
      </div>
      {chosen === "text" && asText}
      {chosen === "page" && kind === "page" && <PageFrame bytes={bytes} name={name} />}
      {chosen === "page" && kind === "markdown" && (
        <div class="run-prose" tabIndex={0} role="group" aria-label={`Rendered ${name}`}>
          <MarkdownText text={text ?? ""} />
        </div>
      )}
    </>
  );
}

function TextPreview({ name, text, size }: { name: string; text: string; size: number }) {
  return (
    <>
      <CodeLines text={text} language={languageOfFile(name)} wrap={false} />
      {size > drawn && (
        <p class="run-empty">
          The first {formatBytes(drawn)} of {formatBytes(size)}. Download it for the rest.
        </p>
      )}
    </>
  );
}

/** A URL for bytes while the component is there. */
function useBlobUrl(bytes: Uint8Array<ArrayBuffer>, type: string | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const created = URL.createObjectURL(new Blob([bytes], type === undefined ? {} : { type }));
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [bytes, type]);
  return url;
}

function Picture({ bytes, name }: { bytes: Uint8Array<ArrayBuffer>; name: string }) {
  const url = useBlobUrl(bytes, shownType(name));
  const [broken, setBroken] = useState(false);
  if (broken) return <p class="run-empty">The file is not a picture that this browser can show. Download it.</p>;
  return (
    <div class="run-picture">{url && <img src={url} alt={`Picture ${name}`} onError={() => setBroken(true)} />}</div>
  );
}

/** HTML or SVG of the run. `sandbox=""` forbids scripts, forms, pop-ups and its own origin. */
function PageFrame({ bytes, name }: { bytes: Uint8Array<ArrayBuffer>; name: string }) {
  const url = useBlobUrl(bytes, shownType(name));
  return url ? <iframe class="run-frame" sandbox="" src={url} title={`Preview of ${name}`} /> : null;
}
