import { render } from "preact";
import { App } from "./app.tsx";
import { takeToken } from "./state/session.ts";
import { applyTheme } from "./state/theme.ts";

takeToken();
// Opening another link in the same tab changes the fragment only.
addEventListener("hashchange", takeToken);
applyTheme();
const root = document.querySelector("#app");
if (root) render(<App />, root);
