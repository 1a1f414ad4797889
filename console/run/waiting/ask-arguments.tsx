import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isResultObject, jsonOf, parseResult } from "../result/result-value.ts";
import { visible } from "../text/visible.ts";

/** The exact arguments of a call, a row each: texts as they are, numbers with all digits, the rest as JSON. Folded after 12 lines. */
export function AskArguments({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || isOpen) return undefined;
    const measure = (): void => setLong(element.scrollHeight > element.clientHeight + 1);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [text, isOpen]);
  const value = parseResult(text);
  return (
    <>
      <div ref={box} class={isOpen ? "args-box" : "args-box folded"}>
        {isResultObject(value) ? (
          <dl class="args">
            {Object.entries(value).map(([name, each]) => [
              <dt key={`${name} name`}>
                <bdi>{visible(name)}</bdi>
              </dt>,
              <dd key={name}>
                <bdi dir="auto">{visible(typeof each === "string" ? each : jsonOf(each, ""))}</bdi>
              </dd>,
            ])}
            {Object.keys(value).length === 0 && <dd class="nothing">no arguments</dd>}
          </dl>
        ) : (
          <pre class="args">{visible(text)}</pre>
        )}
      </div>
      {(isLong || isOpen) && (
        <button type="button" class="args-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Fold the arguments" : "Show all arguments"}
        </button>
      )}
    </>
  );
}
