import { describe, expect, it } from "vitest";
import { tools } from "../mcp/tools/all-tools.ts";
import { chatBody } from "../v1/chat-request.ts";
import { responsesBody } from "../v1/responses-request.ts";
import { openApiDocument } from "./openapi.ts";

interface Operation {
  operationId: string;
  tags: string[];
  requestBody?: { content: Record<string, { example: object }> };
  responses: Record<string, { content?: Record<string, { examples?: object }> }>;
}

const { paths, tags } = openApiDocument("0.0.0", "https://hub.example");
const operation = (path: string, method: string) => paths[path]?.[method] as Operation;
const chapter = (name: string) => tags.find((tag) => tag.name === name)?.description ?? "";
const requestOf = (path: string) =>
  operation(path, "post").requestBody?.content["application/json"]?.example;

describe("the chapters of /v1 and /mcp in the OpenAPI document", () => {
  it("have example requests that the hub accepts", () => {
    for (const [path, schema] of [
      ["/v1/chat/completions", chatBody],
      ["/v1/responses", responsesBody],
    ] as const) {
      expect(schema.safeParse(requestOf(path)).error?.issues).toBeUndefined();
    }
  });

  it("show the failures of a call under OpenAI's names", () => {
    const { responses } = operation("/v1/chat/completions", "post");
    const codes = Object.values(responses).flatMap(({ content }) =>
      Object.keys(content?.["application/json"]?.examples ?? {}),
    );
    expect(codes).toEqual(
      expect.arrayContaining([
        "invalid_api_key",
        "model_not_found",
        "context_length_exceeded",
        "insufficient_quota",
        "pass_required",
        "scope_missing",
      ]),
    );
  });

  it("say what a program is to be given", () => {
    for (const word of ["https://hub.example/v1", "`chat`", "session_token", "Who pays"]) {
      expect(chapter("v1")).toContain(word);
    }
    expect(chapter("mcp")).toContain("https://hub.example/mcp");
    for (const { name } of tools) expect(chapter("mcp")).toContain(`\`${name}\``);
    for (const word of ["Prompts", "Resources", "soul-hub://soul/{id}"]) {
      expect(chapter("mcp")).toContain(word);
    }
  });

  it("give every operation an id of its own", () => {
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((one) => (one as Operation).operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
