import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { formatNumber } from "../../format.ts";
import { Code } from "../../ui/code.tsx";
import { Gauge } from "../../ui/gauge.tsx";
import type { ModelRequest, RequestMessage } from "../api.ts";
import { visible, visibleLine } from "../text/visible.ts";
import { count } from "../text/words.ts";
import { ShortDigest } from "./call-environment.tsx";
import { FactTable } from "./facts.tsx";
import { type ContextUse, contextUse } from "./context-parts.ts";
import { changeText, messageAuthor, messageText, requestChange } from "./request/request-change.ts";

/** Messages that are shown at first. */
const shownMessages = 20;

/** What is new in a request since the one before, and what it consists of. */
export function Difference({
  request,
  before,
  name,
  counted,
}: {
  request: ModelRequest;
  before: ModelRequest | undefined;
  /** Of the call before, in a sentence. */
  name: string | undefined;
  /** Input tokens that the provider reported. */
  counted: number | undefined;
}) {
  const [all, setAll] = useState(false);
  const change = requestChange(before, request);
  const shown = all ? change.added : change.added.slice(0, shownMessages);
  return (
    <div class="run-difference">
      <p>{changeText(change, name)}</p>
      {shown.map((message) => (
        <MessageDetails message={message} />
      ))}
      {shown.length < change.added.length && (
        <button type="button" class="button small" onClick={() => setAll(true)}>
          Show all {formatNumber(change.added.length)} messages
        </button>
      )}
      <details class="run-details">
        <summary>Instructions, {count(request.instructions.length, "character")}</summary>
        <Code wrap title="Instructions" text={visible(request.instructions)} copied={request.instructions} />
      </details>
      <details class="run-details">
        <summary>{count(request.tools.length, "tool")}</summary>
        <Code title="Tools" text={visible(JSON.stringify(request.tools, undefined, 2))} />
      </details>
      <Context use={contextUse(request, counted)} />
      <FactTable facts={configurationFacts(request)} />
    </div>
  );
}

/** How full the context window was, and of what. */
function Context({ use: { tokens, of, counted, parts } }: { use: ContextUse }) {
  return (
    <>
      <Gauge label={counted ? "Context" : "Context, estimated"} value={tokens} limit={of} format={formatTokens} />
      <FactTable facts={parts.map((part) => [part.name, `about ${formatTokens(part.tokens)}`])} />
    </>
  );
}

function formatTokens(tokens: number): string {
  return `${formatNumber(tokens)} tokens`;
}

/** What the turn runs on, besides the agent and its model. */
function configurationFacts({ environment, configuration }: ModelRequest): [string, ComponentChildren][] {
  const hash: [string, ComponentChildren] = ["Configuration", <ShortDigest digest={configuration} />];
  if (!environment) return [["Environment", "none recorded"], hash];
  const { name, engine, digest } = environment;
  return [
    ["Environment", <bdi class="mono">{visibleLine(name, 60)}</bdi>],
    ["Engine", engine],
    ["Digest", <ShortDigest digest={digest} />],
    hash,
  ];
}

/** Characters of a message that are drawn. */
const longestMessage = 20_000;

function MessageDetails({ message }: { message: RequestMessage }) {
  const text = messageText(message);
  const [open, setOpen] = useState(false);
  return (
    <details class="run-details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="run-plus">+</span> {messageAuthor(message)} <bdi class="muted">{visibleLine(text, 90)}</bdi>
      </summary>
      {open && (
        <Code
          title={`${formatNumber(text.length)} characters${text.length > longestMessage ? `, the first ${formatNumber(longestMessage)}` : ""}`}
          text={visible(text.slice(0, longestMessage))}
          copied={text}
        />
      )}
    </details>
  );
}
