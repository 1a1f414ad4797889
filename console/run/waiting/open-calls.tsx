import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../../ui/fields/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { RunDetail } from "../api.ts";
import type { RunStore } from "../run-store.ts";
import { count } from "../text/words.ts";
import { AskCards } from "./ask-cards.tsx";
import { focusNextCard, useAskKeys } from "./ask-keys.ts";

interface OpenCallsProps {
  store: RunStore;
  detail: RunDetail;
  /** The reader has nothing but this run, and cannot answer. */
  readOnly: boolean;
}

/** Below the rows of a run that waits: what it waits for, and a card for each call. */
export function OpenCalls({ store, detail, readOnly }: OpenCallsProps) {
  const note = useRef<HTMLDivElement>(null);
  const { length } = detail.open_calls;
  useLayoutEffect(() => {
    if (store.follow.peek()) note.current?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <>
      <div ref={note} class="run-note wait">
        <Icon name="wait" />
        <p>
          <strong>Waiting for {count(length, "answer")}.</strong> Nothing is billed
          <span class="rest">, and the turn’s time stands still. Calls that need no answer ran first</span>.
        </p>
        {!readOnly && length > 1 && (
          <Button size="small" icon="down" hint="W" onClick={focusNextCard}>
            Next open call
          </Button>
        )}
      </div>
      {!readOnly && <Cards store={store} detail={detail} />}
    </>
  );
}

function Cards({ store, detail }: Pick<OpenCallsProps, "store" | "detail">) {
  useAskKeys("Run");
  return <AskCards run={detail} calls={detail.open_calls} isOnly onChanged={() => store.reload()} />;
}
