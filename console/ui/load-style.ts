/** Code that is loaded together with the style of what no first view needs. */
export async function withStyle<Module>(module: Promise<Module>): Promise<Module> {
  await loadStyle("configure-style");
  return module;
}

const loading = new Map<string, Promise<void>>();

/** Loads a stylesheet that no first view needs, once. `name`: of the element in index.html with its address. */
export function loadStyle(name: string): Promise<void> {
  const known = loading.get(name) ?? load(name);
  loading.set(name, known);
  known.catch(() => loading.delete(name)); // tried again with the next page
  return known;
}

function load(name: string): Promise<void> {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
  return new Promise((resolve, reject) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove();
      reject(new Error(`${name} could not be loaded.`));
    });
    document.head.append(link);
  });
}
