import type { Command } from "commander";
import { CliError } from "../cli.ts";

/** A script that completes nouns and verbs. zsh reads bash's completions through bashcompinit. */
export function completionScript(program: Command, name: string, shell: string): string {
  if (shell !== "bash" && shell !== "zsh")
    throw new CliError(`SHELL is ${JSON.stringify(shell)}; expected bash or zsh`);
  const verbs = program.commands.map((noun) => `    ${noun.name()}) words="${namesOf(noun)}" ;;`);
  return `${shell === "zsh" ? "autoload -Uz bashcompinit && bashcompinit\n" : ""}_${name}() {
  local words=""
  case "\${COMP_WORDS[1]}" in
${verbs.join("\n")}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${namesOf(program)}"
  [ "$COMP_CWORD" -le 2 ] && COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}`;
}

function namesOf({ commands }: Command): string {
  return commands.map((command) => command.name()).join(" ");
}
