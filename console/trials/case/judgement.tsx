import { visible } from "../../run/text/visible.ts";
import { pageUrl } from "../../state/url.ts";
import type { TrialCase } from "../trial-calls.ts";

type TrialJudgement = NonNullable<TrialCase["judgement"]>;

/** What the judge says about a case: its two votes, with the outputs in both orders. */
export function Judgement({ of: { verdict, votes } }: { of: TrialJudgement }) {
  return (
    <section class="panel" aria-label="Judge">
      <header class="panel-head">
        <h2>Judge</h2>
        <span class="muted">{verdict === null ? "no verdict" : verdict}</span>
      </header>
      <ul class="case-notes">
        {votes.map(({ run_id, a, better, reason }) => (
          <li key={a}>
            <p>
              <b>{better === null ? "No vote" : betterWords[better]}</b>
              {a === "recorded" ? ", with the recorded output as A." : ", with the tried output as A."}
            </p>
            {reason !== null && (
              <p>
                <bdi>{visible(reason)}</bdi>
              </p>
            )}
            <a href={pageUrl(`runs/${run_id}`)}>Run of the vote</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const betterWords = {
  recorded: "The recorded output is better",
  candidate: "The tried output is better",
  equal: "Both are equal",
};
