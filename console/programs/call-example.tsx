import { useState } from "preact/hooks";
import { CopyButton } from "../ui/copy-button.tsx";
import { Segments } from "../ui/fields/segments.tsx";
import { languages } from "./languages.ts";
import { environmentFile, type FirstCall, firstProgram } from "./program.ts";

interface CallExampleProps {
  /** Before the languages. Absent: the languages are enough. */
  title?: string;
  call: FirstCall;
  onCopied?: () => void;
}

/** Programs need no command of operators; the clients read a file of variables. */
const options = languages.map(([language, name]) =>
  language === "cli" ? ([".env", ".env"] as const) : ([language, name] as const),
);

/** A program that starts a run, in several languages. */
export function CallExample({ title, call, onCopied }: CallExampleProps) {
  const [language, setLanguage] = useState<(typeof options)[number][0]>("curl");
  const text = language === ".env" ? environmentFile(call) : firstProgram(language, call);
  return (
    <figure class="code prose call-example">
      <header>
        {title !== undefined && <h2>{title}</h2>}
        <Segments label="Language" options={options} value={language} onChange={setLanguage} />
        <CopyButton text={text} kind="plain" {...(onCopied && { onCopied })} />
      </header>
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
