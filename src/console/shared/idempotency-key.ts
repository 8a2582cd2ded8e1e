/** Returns a unique key. Browsers provide `crypto.randomUUID` only over HTTPS and on localhost. */
export function idempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
