import { describe, expect, it } from "vitest";
import { hostAndPort, readHostAndPort } from "./allowed-hosts.ts";

describe("an entry of BYOK_ALLOWED_HOSTS", () => {
  it.each([
    ["localhost:11434", "localhost:11434"],
    ["Ollama.Internal:80", "ollama.internal:80"],
    ["127.1:8080", "127.0.0.1:8080"],
    ["[::1]:443", "[::1]:443"],
    ["[0:0::1]:9000", "[::1]:9000"],
    ["models.example.org:443", "models.example.org:443"],
  ])("%s is normalised to %s", (text, expected) => {
    expect(readHostAndPort(text)).toBe(expected);
  });

  it.each([
    "localhost",
    "http://localhost:11434",
    "localhost:11434/v1",
    "user@localhost:1",
    "localhost:0",
    "localhost:65536",
    "localhost:http",
    "::1:8080",
    ":8080",
    "a b:80",
    "*:80",
    "",
  ])("%s is refused", (text) => {
    expect(readHostAndPort(text)).toBe(null);
  });

  it("equals the formatted host of a URL, with or without a port", () => {
    expect(hostAndPort(new URL("http://Localhost/v1"))).toBe("localhost:80");
    expect(hostAndPort(new URL("https://models.example.org"))).toBe("models.example.org:443");
    expect(hostAndPort(new URL("http://[::1]:9000/v1"))).toBe("[::1]:9000");
  });
});
