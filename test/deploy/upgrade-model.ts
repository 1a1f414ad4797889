import {
  answersIn,
  chatServer,
  type Message,
  type Reply,
  rejects,
  scripted,
} from "../providers/chat-completions-server.ts";

/** What the model writes to a file. 200 KB: it is in the bucket. */
export const report = "A report. ".repeat(20_000);

/**
 * A model that writes a report, calls a tool of the caller, hangs in its second step until it is released, rejects its first call, or
 * answers with what it was asked: by the input.
 */
export async function upgradeModel() {
  let released = false;
  const works = scripted(({ input, step, results }) => {
    if (input.startsWith("Write") && step === 1) {
      return { calls: [["write_file", { name: "report.txt", content: report }]] };
    }
    if (input.startsWith("Ask") && step === 1) return { calls: [["find_order", { id: "4711" }]] };
    if (input.startsWith("Hang") && step === 1) return { calls: [["list_files", {}]] };
    if (input.startsWith("Hang") && !released) return undefined;
    return { text: results[0] === "Sent." ? "It is sent." : `Answered: ${input.slice(0, 40)}` };
  });
  const reply: Reply = (response, received) => {
    const messages = received.body.messages as Message[];
    const isRefused = answersIn(messages) === 0 && JSON.stringify(messages).includes("Refuse this");
    return (isRefused ? rejects(400, "No.") : works)(response, received);
  };
  const server = await chatServer(...Array.from({ length: 200 }, () => reply));
  return { ...server, release: () => void (released = true) };
}
