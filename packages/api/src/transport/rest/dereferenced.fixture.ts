import { openApiDocument } from "./openapi.ts";

type Json = { [key: string]: unknown };
type Document = ReturnType<typeof openApiDocument>;

/** Returns the OpenAPI document with each reference replaced by the component that it names. */
export function dereferencedDocument(): Document {
  const document = openApiDocument("0.0.0");
  const known = new Map<string, Json>();
  const componentOf = (ref: string): Json => {
    const keys = ref.slice("#/".length).split("/");
    const found = keys.reduce((at: unknown, key) => (at as Json)[key], document);
    return dereference(found) as Json;
  };
  const dereference = (part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map(dereference);
    const { $ref, ...own } = part as Json & { $ref?: string };
    const entries = Object.entries(own).map(([key, value]) => [key, dereference(value)]);
    if ($ref === undefined) return Object.fromEntries(entries);
    const component = known.get($ref) ?? componentOf($ref);
    known.set($ref, component);
    // The component itself, not a copy, lets Ajv compile its schema once.
    return entries.length > 0 ? { ...component, ...Object.fromEntries(entries) } : component;
  };
  return dereference(document) as Document;
}
