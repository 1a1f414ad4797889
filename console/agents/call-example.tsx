import { useState } from "preact/hooks";
import { CopyButton } from "../ui/copy-button.tsx";
import { Segments } from "../ui/segments.tsx";
import { type CallLanguage, callLanguages, type FirstCall, firstCall } from "./first-call.ts";

interface CallExampleProps {
  /** Before the languages. Absent: the languages are enough. */
  title?: string;
  call: FirstCall;
  onCopied?: () => void;
}

const options = callLanguages.map((language) => [language, language] as const);

/** A program that starts a run, in several languages. */
export function CallExample({ title, call, onCopied }: CallExampleProps) {
  const [language, setLanguage] = useState<CallLanguage>("curl");
  const text = firstCall(language, call);
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
