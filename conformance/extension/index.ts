import type { Case } from "../expect.ts";
import type { Target } from "../types.ts";
import { answerCases } from "./answers.ts";
import { choiceCases } from "./choices.ts";
import { createCases } from "./create.ts";
import { eventCases } from "./events.ts";
import { fileCases } from "./files.ts";
import { resultCases } from "./results.ts";
import { runCases } from "./runs.ts";
import { isolationCases } from "./isolation.ts";

/** The cases of the extension API that apply to `target`. */
export function extensionCases(target: Target): Case[] {
  return [
    ...createCases,
    ...choiceCases,
    ...runCases,
    ...eventCases,
    ...fileCases,
    ...resultCases,
    ...answerCases,
    ...(target.otherApiKey === undefined ? [] : isolationCases),
  ];
}
