import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Log } from '../../lib/log.ts';
import { createLog, type LogOptions } from './create-log.ts';

function capture(
  options: Partial<LogOptions> = {},
): { log: Log; text: () => string; lines: () => Record<string, unknown>[] } {
  const chunks: string[] = [];
  const to = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk.toString());
      done();
    },
  });
  const text = (): string => chunks.join('');
  const lines = (): Record<string, unknown>[] =>
    text().trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log: createLog({ format: 'json', level: 'info', to, ...options }), text, lines };
}

describe('createLog (decision D-22)', () => {
  it('writes one JSON object a line', () => {
    const { log, lines } = capture();
    log.info({ port: 11023 }, 'listening');
    log.warn({}, 'second');
    expect(lines()).toEqual([{
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      port: 11023,
      msg: 'listening',
    }, { level: 'warn', time: expect.any(String), msg: 'second' }]);
  });

  it('writes text for people', () => {
    const { log, text } = capture({ format: 'text' });
    log.error({ port: 11023 }, 'listening');
    expect(text()).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] ERROR: listening \{"port":11023\}\n$/);
  });

  it('keeps to its level', () => {
    const { log, lines } = capture({ level: 'warn' });
    log.debug({}, 'd');
    log.info({}, 'i');
    log.warn({}, 'w');
    expect(lines().map(({ msg }) => msg)).toEqual(['w']);
  });

  it('children add their fields to everything', () => {
    const { log, lines } = capture();
    log.child({ area: 'documents' }).child({ password: 'hunter2' }).info({ n: 1 }, 'm');
    expect(lines()[0]).toMatchObject({ area: 'documents', password: '[hidden]', n: 1 });
  });

  it.each(['json', 'text'] as const)('never writes credentials or query strings (%s)', (format) => {
    const { log, text } = capture({ format });
    const SECRET = 'hunter2';
    log.info({
      authorization: `Bearer ${SECRET}`,
      headers: {
        Authorization: SECRET,
        'x-api-key': SECRET,
        'X-API-Key': SECRET,
        cookie: SECRET,
        'set-cookie': [SECRET],
      },
      config: {
        storageConfig: { secretKey: SECRET, accessKey: SECRET },
        list: [{ apiKey: SECRET, password: SECRET, token: SECRET }],
      },
      url: `/v1/get?api_key=${SECRET}`,
      request: { path: `/sse?api_key=${SECRET}`, href: `http://h/?q=${SECRET}` },
      err: Object.assign(
        new Error('failed', { cause: Object.assign(new Error('inner'), { headers: { authorization: SECRET } }) }),
        { config: { password: SECRET } },
      ),
    }, 'request');
    expect(text()).not.toContain(SECRET);
    expect(text()).toContain('/v1/get');
    expect(text()).toContain('request');
  });

  it('describes errors with their causes and codes', () => {
    const { log, lines } = capture();
    log.error({ err: new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'ENOSPC' }) }) }, 'failed');
    expect(lines()[0]!['err']).toMatchObject({
      type: 'Error',
      message: 'outer',
      stack: expect.stringContaining('outer'),
      cause: { message: 'inner', code: 'ENOSPC' },
    });
  });

  it('survives fields that refer to themselves or lead deep', () => {
    const { log, lines } = capture();
    const loop: Record<string, unknown> = { a: 1 };
    loop['self'] = loop;
    log.info({ loop }, 'm');
    expect(lines()[0]).toMatchObject({ loop: { a: 1, self: { a: 1 } } });
  });

  it('leaves absent credentials and other fields as they are', () => {
    const { log, lines } = capture();
    log.info({ token: '', apiKeySet: true, tokens: 12, path: '/a', n: null }, 'm');
    expect(lines()[0]).toMatchObject({ token: '', apiKeySet: true, tokens: 12, path: '/a', n: null });
  });
});
