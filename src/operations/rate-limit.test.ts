import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../errors/index.ts';
import { createRateLimit, type RateLimitOptions, type RefusedRequest, type Sender } from './rate-limit.ts';

function limitOf(options: Partial<RateLimitOptions> = {}) {
  const clock = { time: 0, now: () => clock.time };
  const refused: RefusedRequest[] = [];
  const limit = createRateLimit({
    requests: 2,
    burst: 1,
    windowMs: 60_000,
    by: 'ip',
    clock,
    onRefused: (request) => refused.push(request),
    ...options,
  });
  const admit = async (sender: Partial<Sender> = {}) => {
    try {
      return (await limit.admit({ protocol: 'http', ip: '192.0.2.1', ...sender }))['X-RateLimit-Remaining'];
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited' });
      return (error as ServiceError).headers!;
    }
  };
  return { clock, refused, admit };
}

const token = (value: string) => ({ credential: { scheme: 'bearer', value } as const });
/** A credential is the name of its user; other texts are not credentials. */
const identify: RateLimitOptions['identify'] = async (
  { value },
) => (['alice', 'bob'].includes(value) ? { username: value, admin: false, by: 'token', may: () => false } : undefined);

describe('the rate limit (decisions, section 5.4)', () => {
  it('allows the requests of a window and the burst, then returns the time to wait, and keeps to it', async () => {
    const { admit, clock } = limitOf();
    expect([await admit(), await admit(), await admit()]).toEqual(['2', '1', '0']);
    const refusal = await admit() as Record<string, string>;
    expect(refusal).toMatchObject({ 'X-RateLimit-Limit': '3', 'X-RateLimit-Remaining': '0' });
    expect(refusal['X-RateLimit-Reset']).toBe(refusal['Retry-After']);
    clock.time += Number(refusal['Retry-After']) * 1000;
    expect(await admit()).toBe('0');
  });

  it('counts addresses apart, IPv6 ones by the 64 bits that a client has, whatever the protocol', async () => {
    const { admit } = limitOf({ requests: 1, burst: 0 });
    expect([await admit({ ip: '192.0.2.1' }), await admit({ ip: '192.0.2.2' })]).toEqual(['0', '0']);
    expect(await admit({ ip: '2001:db8::1' })).toBe('0');
    expect(await admit({ ip: '2001:db8::ffff:1', protocol: 'grpc' })).toHaveProperty('Retry-After');
    expect(await admit({ ip: '2001:db8:0:1::1' })).toBe('0');
  });

  it('by address does not identify the caller', async () => {
    const { admit } = limitOf({ requests: 1, burst: 0, identify: () => Promise.reject(new Error('asked')) });
    expect(await admit(token('alice'))).toBe('0');
    expect(await admit(token('bob'))).toHaveProperty('Retry-After');
  });

  it('by user counts each user across addresses, and unidentified callers by their address', async () => {
    const { admit } = limitOf({ requests: 1, burst: 0, by: 'user', identify });
    expect([await admit(token('alice')), await admit(token('bob'))]).toEqual(['0', '0']);
    expect(await admit({ ...token('alice'), ip: '198.51.100.7' })).toHaveProperty('Retry-After');
    expect(await admit()).toBe('0');
    expect(await admit(token('guess'))).toHaveProperty('Retry-After');
  });

  it('by user: guessing gains nothing, a new guess is no new sender', async () => {
    const { admit, refused } = limitOf({ requests: 10, burst: 0, by: 'user', identify });
    for (let i = 0; i < 1000; i++) await admit(token(`guess ${i}`));
    expect(refused).toHaveLength(990);
    expect(await admit(token('alice'))).toBe('9');
  });

  it('reports which callers are refused', async () => {
    const { admit, refused } = limitOf({ requests: 1, burst: 0, by: 'user', identify });
    await admit(token('alice'));
    await admit({ ...token('alice'), userAgent: 'a' });
    expect(refused).toEqual([{
      sender: { protocol: 'http', ip: '192.0.2.1', userAgent: 'a', ...token('alice') },
      username: 'alice',
      limit: 1,
      windowMs: 60_000,
    }]);
  });

  it('counts senders without an address together', async () => {
    const { admit } = limitOf({ requests: 1, burst: 0 });
    const local: Partial<Sender> = { protocol: 'grpc', ip: undefined as never };
    expect([await admit(local), await admit(local)]).toEqual(['0',
      expect.objectContaining({ 'Retry-After': expect.any(String) as string })]);
  });

  it('never lets more through in a fixed window than its limit, whatever other callers do', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 1, max: 3 })), { maxLength: 80 }),
        async (requests) => {
          const { admit, clock } = limitOf();
          const allowed = new Map<string, number>();
          for (const [gap, host] of requests) {
            clock.time += gap;
            const key = `${host} ${Math.floor(clock.time / 60_000)}`;
            if (typeof await admit({ ip: `192.0.2.${host}` }) === 'string')
              allowed.set(key, (allowed.get(key) ?? 0) + 1);
          }
          expect(Math.max(0, ...allowed.values())).toBeLessThanOrEqual(3);
        },
      ),
    );
  });
});
