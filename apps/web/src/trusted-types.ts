interface PolicyFactory {
  createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown;
}

// The content security policy lets only DOMPurify turn text into HTML. Mantine also writes CSS
// variables into a style element, as text without `<`. The default Trusted Types policy therefore
// accepts such text.
const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
factory?.createPolicy("default", {
  createHTML: (text) => (text.includes("<") ? null : text),
});
