import { render } from "preact";
import { effect } from "./signals";
import { start, theme } from "./state";
import { App } from "./app";
import looks from "./styles.css?inline";

// In the script it is a request less, and compresses with the names that both use.
const sheet = new CSSStyleSheet();
sheet.replaceSync(looks);
document.adoptedStyleSheets = [sheet];

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});
// Browsers look for it anew whenever the address changes: relative to that it would be elsewhere.
for (const icon of document.querySelectorAll<HTMLLinkElement>("link[rel=icon]")) icon.setAttribute("href", icon.href);
start();
const root = document.createElement("div");
root.id = "app";
document.body.append(root);
render(<App />, root);
