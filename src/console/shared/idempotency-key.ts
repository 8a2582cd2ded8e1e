/** A key that no other request has. Browsers have `crypto.randomUUID` over HTTPS and on this machine only. */
export function idempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
