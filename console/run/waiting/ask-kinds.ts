import type { OpenCall } from "../../api/types.ts";
import type { IconName } from "../../ui/icon.tsx";

/** What a call waits for: word and icon. */
export const askKinds: Record<OpenCall["kind"], { word: string; icon: IconName }> = {
  approval: { word: "Approval", icon: "shield" },
  client_tool: { word: "Client tool", icon: "code" },
  question: { word: "Question", icon: "question" },
};
