import "./theme.css";
import { render } from "preact";
import { effect } from "./signals";
import { start, theme } from "./state";
import { App } from "./app";

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});
start();
const root = document.createElement("div");
root.id = "app";
document.body.append(root);
render(<App />, root);
