import { render } from "preact";
import { App } from "./app.tsx";
import { takeToken } from "./api/session.ts";
import { sharePath } from "./state/share-path.ts";
import { applyTheme } from "./state/theme.ts";

takeToken();
// Opening another link in the same tab changes the fragment only. What the operator before has read goes.
addEventListener("hashchange", () => {
  if (takeToken()) location.reload();
});
applyTheme();
const root = document.querySelector("#app");
// Somebody with the link of one run sees this run, signed in or not.
if (root && location.pathname === sharePath) {
  void import("./share/share-page.tsx").then(({ SharePage }) => render(<SharePage />, root));
} else if (root) render(<App />, root);
