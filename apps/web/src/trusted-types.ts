interface PolicyFactory {
  createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown;
}

// Under the content security policy no text becomes elements but through DOMPurify. Mantine writes
// its variables into a style element; text without a tag can make nothing else.
const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
factory?.createPolicy("default", {
  createHTML: (text) => (text.includes("<") ? null : text),
});
