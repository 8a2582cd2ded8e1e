/** What every answer carries (decisions, section 5.3). */
export const SECURITY_HEADERS = [
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
] as const;

/** What they carry besides over TLS: browsers come back over TLS only, for a year. */
export const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000'] as const;
