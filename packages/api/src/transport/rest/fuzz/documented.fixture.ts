import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { dereferencedDocument } from "../dereferenced.fixture.ts";

/** The part of JSON Schema that the OpenAPI document uses for input. */
export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Schema;
}

/** One operation of the OpenAPI document. The fuzzer knows the API from this document only. */
export interface Operation {
  /** Method and path of the operation, for example `PUT /api/soul/{id}`. */
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** The schema of the request body; null if the operation has none. */
  body: Schema | null;
  /** The media types of a body that is a file. */
  takesFile: readonly string[];
  security: Set<"none" | "key" | "session" | "adminToken">;
  needsPass: boolean;
  statuses: Set<number>;
  streams: boolean;
  /** The media types of a response that is a file, which has no schema. */
  fileTypes: ReadonlySet<string>;
  /** Returns the validation error of a response's body; null if the body is valid. */
  answerFault(status: number, body: unknown): string | null;
  inputFault(input: Input): string | null;
}

/** The input of a request before serialisation. */
export interface Input {
  path: Record<string, string>;
  query: [string, string][];
  body: unknown;
}

interface OperationObject {
  parameters?: Parameter[];
  security: object[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

// Ajv does not validate `format`, because the OpenAPI document states a pattern beside each format.
const ajv = new Ajv2020({ strict: false, validateFormats: false });

const { paths, components } = dereferencedDocument();

/** The operations of REST. `/v1` and `/mcp` have failures of another form. */
export function documentedOperations(): Operation[] {
  const ofRest = Object.entries(paths).filter(([path]) => path.startsWith("/api/"));
  return ofRest.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, found]) =>
      readOperation(method.toUpperCase(), path, found as OperationObject),
    ),
  );
}

function readOperation(method: string, path: string, found: OperationObject): Operation {
  const parameters = found.parameters ?? [];
  const bodies = Object.entries(found.requestBody?.content ?? {});
  const body = found.requestBody?.content["application/json"]?.schema ?? null;
  const responses = Object.entries(found.responses);
  const answers = new Map(
    responses.map(([status, { content }]) => {
      const schema = content?.["application/json"]?.schema;
      return [Number(status), schema ? ajv.compile(schema) : null];
    }),
  );
  const checkBody = body && ajv.compile(body);
  const checkParameters = ajv.compile(parametersSchema(parameters));
  return {
    id: `${method} ${path}`,
    method,
    path,
    parameters,
    body,
    takesFile: bodies.flatMap(([mediaType, { schema }]) => (schema ? [] : mediaType)),
    security: new Set(
      found.security.map((one) => (Object.keys(one)[0] ?? "none") as "none" | "key"),
    ),
    needsPass: JSON.stringify(found.responses["403"] ?? "").includes('"pass_required"'),
    statuses: new Set(answers.keys()),
    streams: responses.some(([, { content }]) => content && "text/event-stream" in content),
    fileTypes: new Set(
      responses
        .filter(([status]) => status === "200")
        .flatMap(([, { content = {} }]) => Object.entries(content))
        .flatMap(([mediaType, { schema }]) => (schema ? [] : mediaType)),
    ),
    answerFault: (status, answer) => {
      const check = answers.get(status);
      return check ? faultOf(check, answer) : null;
    },
    inputFault: (input) =>
      faultOf(checkParameters, parameterValues(parameters, input)) ??
      (checkBody ? faultOf(checkBody, input.body ?? {}) : null),
  };
}

const faultOf = (check: ValidateFunction, value: unknown): string | null =>
  check(value) ? null : ajv.errorsText(check.errors);

const ofAddress = (parameters: Parameter[]) => parameters.filter((one) => one.in !== "header");

const parametersSchema = (parameters: Parameter[]) => ({
  type: "object",
  properties: Object.fromEntries(ofAddress(parameters).map(({ name, schema }) => [name, schema])),
  required: ofAddress(parameters).flatMap(({ name, required }) => (required ? [name] : [])),
});

/**
 * Converts path and query texts to the documented types. A repeated query parameter gives a list.
 */
function parameterValues(parameters: Parameter[], { path, query }: Input): object {
  return Object.fromEntries(
    ofAddress(parameters).flatMap(({ name, in: place, schema }) => {
      const texts =
        place === "path"
          ? [path[name] ?? ""]
          : query.flatMap(([given, text]) => (given === name ? [text] : []));
      const values = texts.map((text) => {
        if (schema.type === "integer" && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
        return schema.type === "boolean" && /^(true|false)$/.test(text) ? text === "true" : text;
      });
      return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values]];
    }),
  );
}

const failure = ajv.compile(components.schemas.Failure);

/**
 * Validates the body of a failure outside an operation: unknown URLs, other methods, unreadable
 * requests.
 */
export const failureFault = (body: unknown): string | null => faultOf(failure, body);
