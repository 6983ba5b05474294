/** The modules that only some texts need. Each loads with the first text that needs it. */
export interface Renderers {
  highlight?: typeof import("./highlight-code.ts").highlightCode;
  typeset?: typeof import("./typeset-math.ts").typesetMath;
}

let loaded: Renderers = {};
const requested = new Set<keyof Renderers>();
const listeners = new Set<() => void>();

const loaders: { [Name in keyof Required<Renderers>]: () => Promise<Renderers> } = {
  highlight: async () => ({ highlight: (await import("./highlight-code.ts")).highlightCode }),
  typeset: async () => ({ typeset: (await import("./typeset-math.ts")).typesetMath }),
};

/** The loaded modules. They are the same object until another one is loaded. */
export const loadedRenderers = (): Renderers => loaded;

/** Calls `listener` when a module is loaded. Returns a function that removes it. */
export function onRendererLoaded(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Loads a module, unless that has begun. If loading fails, texts stay without it. */
export function loadRenderer(name: keyof Renderers): void {
  if (requested.has(name)) return;
  requested.add(name);
  loaders[name]().then(
    (renderer) => {
      loaded = { ...loaded, ...renderer };
      for (const listener of [...listeners]) listener();
    },
    () => requested.delete(name),
  );
}
