import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openApiDocument } from "../openapi.ts";

/** As much of JSON Schema as the document uses for input. */
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

/** One operation as the document describes it: the fuzzer knows no other source. */
export interface Operation {
  /** Such as `PUT /api/soul/{id}`. */
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** Null where the document asks for no body. */
  body: Schema | null;
  security: Set<"none" | "apiKey" | "session" | "adminToken">;
  needsPass: boolean;
  statuses: Set<number>;
  streams: boolean;
  /** Says what is wrong with an answer's body, or null. */
  answerFault(status: number, body: unknown): string | null;
  inputFault(input: Input): string | null;
}

/** A request's input before it became text. */
export interface Input {
  path: Record<string, string>;
  query: [string, string][];
  body: unknown;
}

interface OperationObject {
  parameters?: Parameter[];
  security: object[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, ResponseObject | { $ref: string }>;
}

interface ResponseObject {
  content?: Record<string, { schema: object }>;
}

// The formats name nothing that a pattern beside them does not say as well.
const ajv = new Ajv2020({ strict: false, validateFormats: false });

export function documentedOperations(): Operation[] {
  const { paths, components } = openApiDocument("0.0.0");
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, found]) =>
      readOperation(method.toUpperCase(), path, found as OperationObject, components),
    ),
  );
}

function readOperation(
  method: string,
  path: string,
  found: OperationObject,
  components: { responses: Record<string, ResponseObject> },
): Operation {
  const compile = (schema: object) => ajv.compile({ ...schema, components });
  const parameters = found.parameters ?? [];
  const body = found.requestBody?.content["application/json"]?.schema ?? null;
  const responses = Object.entries(found.responses).map(
    ([status, one]): [number, ResponseObject] => [
      Number(status),
      "$ref" in one ? (components.responses[one.$ref.split("/").at(-1) ?? ""] ?? {}) : one,
    ],
  );
  const answers = new Map(
    responses.map(([status, { content }]) => {
      const json = content?.["application/json"];
      return [status, json ? compile(json.schema) : null];
    }),
  );
  const checkBody = body && compile(body);
  const checkParameters = compile(parametersSchema(parameters));
  return {
    id: `${method} ${path}`,
    method,
    path,
    parameters,
    body,
    security: new Set(
      found.security.map((one) => (Object.keys(one)[0] ?? "none") as "none" | "apiKey"),
    ),
    needsPass: JSON.stringify(found.responses["403"] ?? "").includes('"pass_required"'),
    statuses: new Set(answers.keys()),
    streams: responses.some(([, { content }]) => content && "text/event-stream" in content),
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

/** The text of an address as values of the types that the document names; a repeated name is a list. */
function parameterValues(parameters: Parameter[], { path, query }: Input): object {
  return Object.fromEntries(
    ofAddress(parameters).flatMap(({ name, in: place, schema }) => {
      const texts =
        place === "path"
          ? [path[name] ?? ""]
          : query.flatMap(([given, text]) => (given === name ? [text] : []));
      const values = texts.map((text) =>
        schema.type === "integer" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text,
      );
      return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values]];
    }),
  );
}

const failure = ajv.compile(openApiDocument("0.0.0").components.schemas.Failure);

/** For what no operation answers: an unknown address, another method, an unreadable request. */
export const failureFault = (body: unknown): string | null => faultOf(failure, body);
