// "View in": lines that read what is on screen.
import { signal } from "../signals";
import type { Node } from "../api";
import { copy, onScreen, server, sources } from "../state";
import { languages, snippet, type Language } from "../snippets";
import { Button } from "../ui/button";

const language = signal<Language>("Python");

export function ViewIn({ node: n }: { node: Node }) {
  const lang = language.value;
  const source = sources.value?.find((s) => s.name === n.source);
  const code = snippet(lang, { server, node: n, onScreen: onScreen.value, ...(source && { source }) });
  const [first, ...rest] = code.split("\n");
  return (
    <div class="section viewin">
      <div class="section-head">
        <h3>View in</h3>
        <div class="langs" role="group" aria-label="Language">
          {languages.map((l) => <button key={l} type="button" aria-pressed={l === lang} onClick={() => (language.value = l)}>{l}</button>)}
        </div>
      </div>
      <div class="code">
        <pre tabIndex={0} aria-label={lang + " that reads what is on screen"}>{/^import/.test(first!) ? <><b>{first}</b>{"\n"}{rest.join("\n")}</> : code}</pre>
        <Button quiet icon="copy" label={"Copy the " + lang} onClick={() => copy(code, lang)} />
      </div>
    </div>
  );
}
