import { describe, expect, it } from 'vitest';
import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Call, type Caller, type Invoke, Reply } from '../../operations/index.ts';
import { IndexElsewhere } from '../view/index.ts';
import type { Route } from './cluster-state.ts';
import { NodeConnections } from './connections.ts';
import { answerForwarded, CallForwarder } from './forwarding.ts';

const unending = new AbortController().signal;
const route = (name: string, isReady = true): Route => ({ name, address: `${name}:1`, isReady, position: 1 });

/** A forwarder whose nodes answer by `invoke`, or fail if that is absent. */
function open(nodes: Readonly<Record<string, Invoke<Operations> | undefined>>,
  routes = Object.keys(nodes).map((name) => route(name)))
{
  const asked: string[] = [];
  const failed: string[] = [];
  const forwarder = new CallForwarder({
    cluster: { routeOf: () => [route('self'), ...routes], self: 'self', failed: (name) => void failed.push(name) },
    collections: { unitOf: (collection) => (collection === 'blog' ? 64 : undefined) },
    connections: new NodeConnections((address) => ({
      async ask(call, signal) {
        const name = address.split(':')[0]!;
        asked.push(name);
        const invoke = nodes[name];
        if (invoke === undefined) throw new ServiceError('unavailable', 'no connection');
        return answerForwarded(invoke, call, signal);
      },
      gather: () => Promise.reject(new Error('nothing is gathered')),
      close: () => undefined,
    })),
    known: () => 7,
  });
  let loads = 0;
  const missing = new IndexElsewhere('full-text', 'Blog', async () => void (loads += 1));
  const ask = (caller: Partial<Caller> = {}, produces = ['application/json']) =>
    forwarder.ask({
      spec: { id: 'searchFullText', produces },
      input: { collection: 'Blog', query: 'a' },
      caller: { protocol: 'http', requestId: 'r', ...caller },
      context: { signal: unending },
    } as unknown as Call, missing);
  return { ask, asked, failed, loads: () => loads };
}

const answering = (value: unknown, calls: unknown[] = []): Invoke<Operations> =>
  (async (operation: string, input: object, { signal: _, onLsn, ...caller }: Caller) => {
    calls.push({ operation, input, caller });
    onLsn?.(9);
    return new Reply(value, { 'X-Total-Count': '1' });
  }) as unknown as Invoke<Operations>;

describe('calls that other nodes answer', () => {
  it('have the input and the credential of the caller, and include what it has written here', async () => {
    const calls: unknown[] = [];
    const lsns: number[] = [];
    const { ask, asked, loads } = open({ a: answering({ total: 1 }, calls) });
    const credential = { scheme: 'bearer', value: 'token' } as const;
    const answer = await ask({ credential, ip: '192.0.2.1', minLsn: 3, onLsn: (lsn) => void lsns.push(lsn) });
    expect(answer?.output).toEqual(new Reply({ total: 1 }, { 'X-Total-Count': '1' }));
    expect(calls).toEqual([{
      operation: 'searchFullText',
      input: { collection: 'Blog', query: 'a' },
      caller: { protocol: 'http', requestId: 'r', credential, ip: '192.0.2.1', minLsn: 7, isForwarded: true },
    }]);
    expect([asked, lsns, loads()]).toEqual([['a'], [9], 0]);
  });

  it('fail as they did at the other node', async () => {
    const { ask } = open({
      a: (async () => {
        throw new ServiceError('invalid_argument', 'query: expected ")" at byte 14');
      }) as unknown as Invoke<Operations>,
    });
    await expect(ask()).rejects.toMatchObject({ code: 'invalid_argument', message: 'query: expected ")" at byte 14' });
  });

  it('go to the next node if one does not answer', async () => {
    const { ask, asked, failed } = open({ a: undefined, b: answering('from b') });
    expect((await ask())?.output).toMatchObject({ value: 'from b' });
    expect([asked, failed]).toEqual([['a', 'b'], ['a']]);
  });

  it('are answered here when no node can be asked, once the index is in memory', async () => {
    for (const { ask, loads } of [open({}), open({ a: undefined }), open({ a: answering(1) }, [route('a', false)])]) {
      expect(await ask()).toBeUndefined();
      expect(loads()).toBe(1);
    }
  });

  it('are not forwarded twice, and neither are streams', async () => {
    const { ask, asked, loads } = open({ a: answering(1) });
    expect(await ask({ isForwarded: true })).toBeUndefined();
    expect(await ask({}, ['application/zip'])).toBeUndefined();
    expect([asked, loads()]).toEqual([[], 2]);
  });
});
