import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Reasoning } from "../../model.ts";

/** Measures how long a response consists of reasoning, while its parts arrive. */
export class ThinkingTime {
  #milliseconds = 0;
  #since: number | undefined;

  add(type: LanguageModelV4StreamPart["type"]): void {
    if (type === "reasoning-start" || type === "reasoning-delta") this.#since ??= performance.now();
    else if (this.#since !== undefined && type !== "response-metadata" && type !== "raw") {
      this.#milliseconds += performance.now() - this.#since;
      this.#since = undefined;
    }
  }

  /** A response in one piece takes no time. Its thinking did, but nobody could measure it. */
  get reasoning(): Reasoning {
    const milliseconds = Math.round(this.#milliseconds);
    return milliseconds > 0 ? { milliseconds } : {};
  }
}
