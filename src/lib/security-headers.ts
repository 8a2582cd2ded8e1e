/** Headers of every response (decisions, section 5.3). */
export const SECURITY_HEADERS = [['X-Content-Type-Options', 'nosniff'], ['X-Frame-Options', 'DENY'], ['Referrer-Policy',
  'no-referrer']] as const;

/** Additional headers of responses over TLS: for a year, browsers use only TLS. */
export const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000'] as const;
