import { startOf } from "../../runs/text.ts";
import type { CheckResult } from "../../results/types.ts";

/** What a vote of a judge answers with. The reason comes first: models decide better after they have given one. */
export const voteSchema = {
  type: "object",
  properties: {
    reason: { type: "string", description: "Why, in one or two sentences." },
    better: { type: "string", enum: ["A", "B", "equal"], description: "Which answer is better." },
  },
  required: ["reason", "better"],
  additionalProperties: false,
};

export interface JudgeAnswer {
  better: "A" | "B" | "equal";
  reason: string;
}

/** The vote that a text is. Undefined: it does not fit the schema. */
export function voteIn(text: string): JudgeAnswer | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { better, reason } = (typeof parsed === "object" && parsed !== null ? parsed : {}) as Record<string, unknown>;
  if (typeof reason !== "string") return undefined;
  return better === "A" || better === "B" || better === "equal" ? { better, reason } : undefined;
}

export const expectedVoteText = `{"reason": text, "better": "A", "B" or "equal"}`;

/** Checks a vote in this process. Schemas of agents are checked in a sandbox; this one is ours. */
export const checkVote: CheckResult = async (_schema, text) => {
  if (voteIn(text)) return { problems: [] };
  return { problems: [{ place: "", expected: expectedVoteText, received: startOf(text, 200) || "nothing" }] };
};
