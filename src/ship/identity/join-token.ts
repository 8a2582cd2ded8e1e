/** The parts of a join token that the ship reads; it sends the whole token to the server. */
export interface JoinToken {
  readonly text: string;
  /** SHA-256 of the certificate of the server's authority. */
  readonly fingerprint: Buffer;
}

const FORM = /^qj1\.([A-Za-z0-9_-]{43})\.[A-Za-z0-9_-]{1,128}\.[A-Za-z0-9_-]{16,128}$/;

/**
 * Reads `qj1.<SHA-256 of the authority>.<id>.<secret>` (decisions, section 4, "Joining"); undefined for any other text.
 */
export function readJoinToken(text: string): JoinToken | undefined {
  const fingerprint = FORM.exec(text)?.[1];
  return fingerprint === undefined ? undefined : { text, fingerprint: Buffer.from(fingerprint, 'base64url') };
}
