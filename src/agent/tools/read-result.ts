import { readResult, workspaceLimits } from "./definitions.ts";
import { parseResultNumber, resultLine, resultNumber } from "./result-numbers.ts";
import { builtInTool, errorOutput, type RecordedResult, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";

interface ReadInput {
  result: string;
  offset?: number;
}

/** Characters of an output that are for its heading and its last line. */
const reserved = 500;

/** Returns a recorded result of the run, or lists those of a turn or step. */
export const readResultTool: Tool = {
  ...builtInTool(readResult, async ({ result, offset = 0 }: ReadInput, { results, outputCharacters = Infinity }) => {
    const place = parseResultNumber(result);
    if (!place) {
      const accepted =
        "the number of a result, such as 2.3.1 (turn, step, call), of a step, such as 2.3, or of a turn, such as 2";
      return errorOutput(`${JSON.stringify(result)} is not the number of a result. Accepted: ${accepted}.`);
    }
    const found = results?.at(place) ?? none();
    const characters = Math.min(workspaceLimits.readCharacters, outputCharacters - reserved);
    if (place.call === undefined) return listOutput(found, { result, offset, characters }, results);
    for await (const one of found) return resultOutput(one, offset, characters);
    return missing(result, results);
  }),
  when: "results_left_out",
};

async function* none(): AsyncGenerator<RecordedResult> {}

function missing(result: string, results: ToolContext["results"]): ToolOutput {
  const turns = results ? ` Turns are 1 to ${results.turn}; the number of a turn lists its results.` : "";
  return errorOutput(`There is no recorded result ${result} in this run.${turns}`);
}

/** One page of a result. Files that were attached are named: `read_file` shows them as they are now. */
function resultOutput({ input, result, ...place }: RecordedResult, offset: number, characters: number): ToolOutput {
  const { text, attachments = [] } = result;
  if (offset > 0 && offset >= text.length) {
    return errorOutput(
      `offset ${offset} is beyond the end of result ${resultNumber(place)}: it has ${text.length} characters.`,
    );
  }
  const page = withoutHalfCharacter(text.slice(offset, offset + characters));
  const end = offset + page.length;
  const names = attachments.map(({ name }) => JSON.stringify(name)).join(", ");
  const attached =
    names === "" ? "" : ` Attached then: ${names.slice(0, reserved / 2)}; read_file shows a file as it is now.`;
  const heading = `Result ${resultLine(place, input, result)}, here ${offset} to ${end}.${attached}`;
  return { text: `${heading}\n${page}${end < text.length ? `\n[More: continue with offset ${end}.]` : ""}` };
}

/** One line for each result, after `offset` of them. */
async function listOutput(
  found: AsyncIterable<RecordedResult>,
  { result, offset, characters }: ReadInput & { offset: number; characters: number },
  results: ToolContext["results"],
): Promise<ToolOutput> {
  const lines: string[] = [];
  let [count, left] = [0, characters];
  for await (const { input, result: one, ...place } of found) {
    if (count++ < offset) continue;
    const line = resultLine(place, input, one);
    left -= line.length + 1;
    if (left < 0) {
      lines.push(`[More: continue with offset ${count - 1}.]`);
      break;
    }
    lines.push(line);
  }
  if (count === 0) return missing(result, results);
  if (lines.length === 0)
    return errorOutput(`offset ${offset} is beyond the end: there are ${count} results in ${result}.`);
  return { text: lines.join("\n") };
}

/** Removes half of a surrogate pair at the end. */
function withoutHalfCharacter(text: string): string {
  return text.length > 1 && /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
