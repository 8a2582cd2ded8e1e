/** Maximum number of bytes of a provider's text that an error repeats (decisions, section 4.3). */
const MAX_BYTES = 512;

// Text that looks like a credential of another party: a proxy's token, or a key that the provider has masked.
const CREDENTIALS = /\b(?:bearer|basic)\s+[\w.~+/=*-]{16,}|\b(?:sk|pa)-[\w*.-]{12,}/gi;

/**
 * A provider's message, made fit for an error: on one line, without credentials, at most 512 bytes of UTF-8. `secrets`
 * are replaced before truncation, which could otherwise leave half of one.
 */
export function providerText(text: string, secrets: readonly string[]): string {
  let safe = text;
  for (const secret of secrets) if (secret !== '') safe = safe.replaceAll(secret, '[redacted]');
  return cut(safe.replace(CREDENTIALS, '[redacted]').replace(/[\s\p{Cc}]+/gu, ' ').trim());
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_BYTES) return text;
  const ellipsis = '…';
  let end = MAX_BYTES - Buffer.byteLength(ellipsis);
  while ((bytes[end]! & 0xc0) === 0x80) end--; // never within a character
  return bytes.toString('utf8', 0, end) + ellipsis;
}

/**
 * Extracts the message from an error body in any of the usual forms: `{error: {message}}`, `{error}`, `{detail}`,
 * `{message}`, or plain text.
 */
export function messageOf(body: string): string {
  try {
    const { error, detail, message } = JSON.parse(body) as Record<string, unknown>;
    const nested = (error as { message?: unknown } | undefined)?.message;
    const found = [nested, error, detail, message].find((value) => typeof value === 'string');
    return found ?? body;
  } catch {
    return body;
  }
}
