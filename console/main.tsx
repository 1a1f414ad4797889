import { render } from "preact";
import { App } from "./app.tsx";
import { takeToken } from "./api/session.ts";
import { applyTheme } from "./state/theme.ts";

takeToken();
// Opening another link in the same tab changes the fragment only. What the operator before has read goes.
addEventListener("hashchange", () => {
  if (takeToken()) location.reload();
});
applyTheme();
const root = document.querySelector("#app");
if (root) render(<App />, root);
