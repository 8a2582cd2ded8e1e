import { expect, it } from 'vitest';
import { loadSettings, packSettings, unpackSettings } from './index.ts';

it('settings go to another process as they are, what knows how to compare addresses included', () => {
  const { settings } = loadSettings({
    env: {
      SVC_TRUSTED_PROXIES: '10.0.0.0/8,::1',
      SVC_CORS_ORIGINS: 'https://a.example',
      SVC_HTTP_ADDR: 'unix:/run/quire.sock',
      SVC_WORKERS: '3',
      SVC_MIN_LSN_WAIT: '1500ms',
      SVC_AUTH_ENABLED: 'true',
      SVC_AUTH_JWT_SECRET: 'a, b "c"',
      SVC_AUTH_ADMIN_PASSWORD: ' p ',
    },
  });
  const there = unpackSettings(structuredClone(packSettings(settings)));
  const { limits: { trustedProxies }, ...rest } = settings;
  expect(there).toMatchObject(rest);
  expect(there.limits.trustedProxies.map(({ text, isEverything }) => [text, isEverything])).toEqual(
    trustedProxies.map(({ text, isEverything }) => [text, isEverything]),
  );
  expect(there.limits.trustedProxies[0]!.contains('10.1.2.3')).toBe(true);
});
