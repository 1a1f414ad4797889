import { Icon } from "../../ui/icon.tsx";
import type { Step } from "../model/run-model-types.ts";
import { visibleLine } from "../text/visible.ts";

/** Where a result does not fit its schema: place, what was expected, what was received. */
export function ResultProblems({ problems }: { problems: NonNullable<Step["problems"]> }) {
  return (
    <ul class="result-box">
      {problems.map(({ place, expected, received }) => (
        <li class="result-problem">
          <Icon name="warning" />
          <span>
            {place === "" ? (
              "The result"
            ) : (
              <bdi dir="auto" class="mono">
                {visibleLine(place)}
              </bdi>
            )}
            : expected <bdi dir="auto">{visibleLine(expected)}</bdi>
          </span>
          <span class="received">
            received{" "}
            <bdi dir="auto" class="mono">
              {visibleLine(received)}
            </bdi>
          </span>
        </li>
      ))}
    </ul>
  );
}
