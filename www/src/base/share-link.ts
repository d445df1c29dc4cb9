/**
 * Source text in a link: UTF-8, raw deflate, base64url. Links come from strangers, so the size is bounded before and while it is
 * unpacked, and everything that does not fit gives null.
 */

/** Longest text that a link may carry, in bytes of UTF-8. */
export const LONGEST_SOURCE_BYTES = 1 << 20;
/** Longest encoded form that is looked at. */
const LONGEST_CODE_CHARS = 1 << 21;

async function pump(input: Uint8Array<ArrayBuffer>, transform: GenericTransformStream, limit: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const writer = transform.writable.getWriter();
  const written = writer.write(input).then(() => writer.close());
  written.catch(() => undefined);
  const reader = transform.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    total += value.byteLength;
    if (total > limit) {
      reader.cancel().catch(() => undefined);
      return null;
    }
    chunks.push(value);
  }
  await written;
  const output = new Uint8Array(total);
  let offset = 0;
  for (const chunk of chunks) {
    output.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return output;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(code: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]+$/.test(code)) return null;
  const binary = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

/** Packs a text for the `code` field of a link. */
export async function encodeSource(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const packed = await pump(bytes, new CompressionStream("deflate-raw"), Number.POSITIVE_INFINITY);
  return toBase64Url(packed ?? new Uint8Array());
}

/** Unpacks the `code` field; null when it is damaged, not UTF-8 or too large. */
export async function decodeSource(code: string): Promise<string | null> {
  if (code.length > LONGEST_CODE_CHARS) return null;
  try {
    const packed = fromBase64Url(code);
    if (packed === null) return null;
    const bytes = await pump(packed, new DecompressionStream("deflate-raw"), LONGEST_SOURCE_BYTES);
    return bytes === null ? null : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
