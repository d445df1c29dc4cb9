import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeSource, encodeSource, LONGEST_SOURCE_BYTES } from "./share-link.ts";

const base64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

describe("a shared source", () => {
  it("survives the link", async () => {
    const text = 'import nki\n\n@nki.jit\ndef k(x):\n    return x  # 中文, 한국어, 🧮\n'.repeat(20);
    const code = await encodeSource(text);
    expect(code).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(code.length).toBeLessThan(text.length);
    expect(await decodeSource(code)).toBe(text);
  });

  it("may be empty", async () => {
    expect(await decodeSource(await encodeSource(""))).toBe("");
  });
});

describe("a hostile link", () => {
  it("gives nothing when it is damaged", async () => {
    const code = await encodeSource("x = 1\n".repeat(100));
    for (const broken of ["", "%%%", "a", code.slice(0, -4), "!".repeat(10)]) expect(await decodeSource(broken)).toBeNull();
  });

  it("gives nothing when it unpacks to more than a mebibyte", async () => {
    const largest = deflateRawSync(new Uint8Array(LONGEST_SOURCE_BYTES).fill(97));
    const bomb = deflateRawSync(new Uint8Array(200 << 20));
    expect((await decodeSource(base64Url(largest)))?.length).toBe(LONGEST_SOURCE_BYTES);
    expect(await decodeSource(base64Url(deflateRawSync(new Uint8Array(LONGEST_SOURCE_BYTES + 1).fill(97))))).toBeNull();
    expect(await decodeSource(base64Url(bomb))).toBeNull();
  });

  it("gives nothing when it is not UTF-8", async () => {
    expect(await decodeSource(base64Url(deflateRawSync(Uint8Array.of(0xff, 0xfe))))).toBeNull();
  });
});
