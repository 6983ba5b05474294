/** The modules that only some texts need. Each loads with the first text that needs it. */
export interface Renderers {
  /** For the languages of {@link isFrequent}. */
  highlight?: typeof import("./highlight-code.ts").highlightCode;
  /** For all other languages. */
  highlightMore?: typeof import("./highlight-code.ts").highlightCode;
  typeset?: typeof import("./typeset-math.ts").typesetMath;
}

let loaded: Renderers = {};
const requested = new Set<keyof Renderers>();
const listeners = new Set<() => void>();

const loaders: { [Name in keyof Required<Renderers>]: () => Promise<Renderers> } = {
  highlight: async () => ({ highlight: (await import("./highlight-code.ts")).highlightCode }),
  highlightMore: async () => ({
    highlightMore: (await import("./highlight-more.ts")).highlightCode,
  }),
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

/** The names and aliases of the languages in `highlight-code.ts`. */
const frequent = new Set(
  "bash sh zsh css javascript js jsx mjs cjs json jsonc json5 markdown md mkd mkdown python py gyp ipython shell console shellsession sql typescript ts tsx mts cts xml html xhtml rss atom xjb xsd xsl plist wsf svg yaml yml".split(
    " ",
  ),
);

/** Tells whether code in a language is coloured without the larger module. */
export const isFrequent = (language: string): boolean => frequent.has(language);
