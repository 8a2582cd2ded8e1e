import type { SettingPath, Settings } from './table.ts';

/** A hardening control that is off. */
export interface MissingControl {
  readonly path: SettingPath;
  readonly envVar: string;
  readonly want: string;
  /** Name of the control. */
  readonly reason: string;
  /** How to enable it. */
  readonly remedy: string;
}

interface Control extends MissingControl {
  readonly isOn: (settings: Settings) => boolean;
}

/** HS256 is only as strong as a secret of this many bytes (RFC 7518, section 3.2). */
export const MIN_SECRET_BYTES = 32;

/** The controls that production mode requires (decisions, section 5.2). */
const CONTROLS: readonly Control[] = [{
  path: 'auth.enabled',
  envVar: 'SVC_AUTH_ENABLED',
  want: 'true',
  reason: 'authentication',
  remedy: 'set SVC_AUTH_ENABLED=true, with SVC_AUTH_JWT_SECRET and SVC_AUTH_ADMIN_PASSWORD',
  isOn: ({ auth }) => auth.enabled,
}, {
  path: 'auth.jwtSecret',
  envVar: 'SVC_AUTH_JWT_SECRET',
  want: `at least ${MIN_SECRET_BYTES} bytes`,
  reason: 'token secret',
  remedy: 'make one with `openssl rand -base64 32`',
  isOn: ({ auth }) => Buffer.byteLength(auth.jwtSecret) >= MIN_SECRET_BYTES,
}, {
  path: 'tls.enabled',
  envVar: 'SVC_TLS_ENABLED',
  want: 'true',
  reason: 'TLS',
  remedy: 'set SVC_TLS_ENABLED=true, with SVC_TLS_CERT and SVC_TLS_KEY, or SVC_TLS_INSECURE_OK=true where a proxy in ' +
    'front of the server ends TLS',
  isOn: ({ tls }) => tls.enabled || tls.insecureOk,
}, {
  path: 'cors.origins',
  envVar: 'SVC_CORS_ORIGINS',
  want: 'a list of origins without *',
  reason: 'CORS origins',
  remedy: 'name the web origins that may call, such as SVC_CORS_ORIGINS=https://app.example.org',
  isOn: ({ cors }) => cors.origins.others === 'nothing',
}, {
  path: 'audit.enabled',
  envVar: 'SVC_AUDIT_ENABLED',
  want: 'true',
  reason: 'audit log',
  remedy: 'set SVC_AUDIT_ENABLED=true',
  isOn: ({ audit }) => audit.enabled,
}, {
  path: 'rateLimit.enabled',
  envVar: 'SVC_RATE_LIMIT_ENABLED',
  want: 'true',
  reason: 'rate limit',
  remedy: 'set SVC_RATE_LIMIT_ENABLED=true',
  isOn: ({ rateLimit }) => rateLimit.enabled,
}];

/** The controls that are off, whether or not production mode is on. */
export function missingControls(settings: Settings): MissingControl[] {
  return CONTROLS.filter(({ isOn }) => !isOn(settings));
}
