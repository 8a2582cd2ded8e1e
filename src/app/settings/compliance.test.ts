import { describe, expect, it } from 'vitest';
import { missingControls } from './compliance.ts';
import { loadSettings, SettingsError } from './load.ts';
import type { Environment } from './resolve.ts';

/** Every control on. */
const HARDENED: Readonly<Record<string, string>> = {
  SVC_AUTH_ENABLED: 'true',
  SVC_AUTH_JWT_SECRET: 's'.repeat(32),
  SVC_AUTH_ADMIN_PASSWORD: 'correct horse',
  SVC_TLS_ENABLED: 'true',
  SVC_TLS_CERT: 'cert.pem',
  SVC_TLS_KEY: 'key.pem',
  SVC_CORS_ORIGINS: 'https://app.example.org',
  SVC_AUDIT_ENABLED: 'true',
  SVC_RATE_LIMIT_ENABLED: 'true',
};

const without = (...names: string[]): Environment =>
  Object.fromEntries(Object.entries(HARDENED).filter(([name]) => !names.includes(name)));
const missing = (env: Environment): string[] =>
  missingControls(loadSettings({ env }).settings).map(({ envVar }) => envVar);

function problems(env: Environment): readonly string[] {
  try {
    loadSettings({ env: { ...env, SVC_PRODUCTION: 'true' } });
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as SettingsError).problems;
  }
}

describe('the hardening controls (decisions, section 5.2)', () => {
  it('are all off by default', () => {
    expect(missing({})).toEqual(['SVC_AUTH_ENABLED', 'SVC_AUTH_JWT_SECRET', 'SVC_TLS_ENABLED', 'SVC_CORS_ORIGINS',
      'SVC_AUDIT_ENABLED', 'SVC_RATE_LIMIT_ENABLED']);
    expect(missing(HARDENED)).toEqual([]);
  });

  it.each([[['SVC_AUTH_ENABLED'], {}, ['SVC_AUTH_ENABLED']], [[], { SVC_AUTH_JWT_SECRET: 's'.repeat(31) }, [
    'SVC_AUTH_JWT_SECRET',
  ]], [[], { SVC_AUTH_JWT_SECRET: 'ä'.repeat(16) }, []], [['SVC_TLS_ENABLED'], {}, ['SVC_TLS_ENABLED']], [[
    'SVC_TLS_ENABLED',
  ], { SVC_TLS_INSECURE_OK: 'true' }, []], [[], { SVC_CORS_ORIGINS: 'https://app.example.org,*' }, [
    'SVC_CORS_ORIGINS',
  ]], [['SVC_AUDIT_ENABLED', 'SVC_RATE_LIMIT_ENABLED'], {}, ['SVC_AUDIT_ENABLED', 'SVC_RATE_LIMIT_ENABLED']]])(
    'without %j and with %j misses %j',
    (absent, more, expected) => {
      expect(missing({ ...without(...absent), ...more })).toEqual(expected);
    },
  );
});

describe('SVC_PRODUCTION', () => {
  it('refuses to start without any of them, and says of each how to fix it', () => {
    expect(problems({})).toEqual([
      'SVC_AUTH_ENABLED: SVC_PRODUCTION needs true (authentication); set SVC_AUTH_ENABLED=true, with ' +
      'SVC_AUTH_JWT_SECRET and SVC_AUTH_ADMIN_PASSWORD',
      'SVC_AUTH_JWT_SECRET: SVC_PRODUCTION needs at least 32 bytes (token secret); make one with `openssl rand ' +
      '-base64 32`',
      'SVC_TLS_ENABLED: SVC_PRODUCTION needs true (TLS); set SVC_TLS_ENABLED=true, with SVC_TLS_CERT and ' +
      'SVC_TLS_KEY, or SVC_TLS_INSECURE_OK=true where a proxy in front of the server ends TLS',
      'SVC_CORS_ORIGINS: SVC_PRODUCTION needs a list of origins without * (CORS origins); name the web origins ' +
      'that may call, such as SVC_CORS_ORIGINS=https://app.example.org',
      'SVC_AUDIT_ENABLED: SVC_PRODUCTION needs true (audit log); set SVC_AUDIT_ENABLED=true',
      'SVC_RATE_LIMIT_ENABLED: SVC_PRODUCTION needs true (rate limit); set SVC_RATE_LIMIT_ENABLED=true',
    ]);
  });

  it('is content with all of them', () => {
    expect(problems(HARDENED)).toEqual([]);
    expect(problems({ ...without('SVC_TLS_ENABLED'), SVC_TLS_INSECURE_OK: 'yes' })).toEqual([]);
  });

  it('refuses a secret that can be guessed, without showing it', () => {
    const [problem, ...rest] = problems({ ...HARDENED, SVC_AUTH_JWT_SECRET: 'hunter2' });
    expect(rest).toEqual([]);
    expect(problem).toMatch(/^SVC_AUTH_JWT_SECRET: .* at least 32 bytes/);
    expect(problem).not.toContain('hunter2');
  });
});
