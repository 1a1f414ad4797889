import { useEffect, useState } from "preact/hooks";
import { Button } from "../../ui/fields/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { RunDetail } from "../api.ts";
import type { RunStore } from "../run-store.ts";
import { placeName } from "../selection.ts";
import { count } from "../text/words.ts";
import type { TimelineHandle } from "./timeline.tsx";

interface Props {
  store: RunStore;
  detail: RunDetail;
  handle: { current: TimelineHandle | null };
}

/** "Step 10, 2 new steps below": at the bottom edge while the run is active and the newest steps are not followed. */
export function FollowDock({ store, detail, handle }: Props) {
  void store.version.value;
  const steps = store.model.steps.length;
  const [seen, setSeen] = useState(steps);
  useEffect(() => {
    if (!store.loaded.value) setSeen(steps);
  }, [steps, store.loaded.value]);
  const place = detail.activity ?? store.model.steps.at(-1);
  const fresh = steps - seen;
  return (
    <div class="run-dock">
      <Icon name="running" class="spin" />
      <span>
        {place && place.step > 0 ? placeName(store.model, place) : "Running"}
        {fresh > 0 && `, ${count(fresh, "new step")} below`}
      </span>
      <Button
        kind="primary"
        size="small"
        icon="down"
        hint="F"
        onClick={() => {
          store.follow.value = true;
          handle.current?.scrollToEnd();
        }}
      >
        Follow live
      </Button>
    </div>
  );
}
