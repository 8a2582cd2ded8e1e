import { describe, expect, it } from 'vitest';
import { ServiceError } from '../errors/index.ts';
import { ManualTimer } from '../testkit/manual-timer.ts';
import { AccessWatches } from './access-watch.ts';
import type { Caller, Identity } from './caller.ts';
import type { Context, Download, Handlers } from './handler.ts';
import { createInvoker, type InvokerOptions } from './invoke.ts';
import type { Operation, OperationSpec } from './spec.ts';

interface Operations {
  readThing: Operation<{ name: string }, { by: string }>;
  writeThing: Operation<{ name: string }, { by: string }>;
  loadThings: Operation<{ name: string }, Download>;
}

const base = {
  method: 'POST',
  path: '/x',
  area: 'things',
  summary: '',
  limited: true,
  sanitize: false,
  status: 200,
  parameters: [],
  consumes: ['application/json'],
  produces: ['application/json'],
  collections: ['name'],
} as const;
const operations: { [K in keyof Operations]: OperationSpec } = {
  readThing: { ...base, id: 'readThing', access: 'read', effect: 'read' },
  writeThing: { ...base, id: 'writeThing', access: 'write', effect: 'write' },
  loadThings: { ...base, id: 'loadThings', access: 'write', effect: 'write', limited: false, produces: ['text/plain'] },
};
const named = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };

/** Accounts by credential, which tests change as an administrator does. */
class Accounts {
  readonly caller: Caller = { protocol: 'http', requestId: 'test', credential: { scheme: 'bearer', value: 'token' } };
  readonly #listeners = new Set<() => void>();
  identified = 0;
  refreshed = 0;
  now = 0;
  #version = 0;
  #account: { id: string; may: readonly string[]; expiresAt?: number } | undefined = {
    id: 'first',
    may: ['read', 'write'],
  };

  readonly watches = new AccessWatches({
    onChange: (listener) => (this.#listeners.add(listener), () => void this.#listeners.delete(listener)),
    clock: { now: () => this.now },
    timer: new ManualTimer(),
  });

  readonly guard: NonNullable<InvokerOptions<Operations>['guard']> = {
    version: () => this.#version,
    identify: async () => {
      this.identified++;
      const account = this.#account;
      if (account === undefined || (account.expiresAt !== undefined && account.expiresAt <= this.now))
        throw new ServiceError('unauthenticated', 'invalid token');
      return {
        username: 'ada',
        account: account.id,
        admin: false,
        by: 'token',
        may: (permission) => account.may.includes(permission),
        ...(account.expiresAt !== undefined && { expiresAt: account.expiresAt }),
      } satisfies Identity;
    },
  };

  change(account: { id: string; may: readonly string[]; expiresAt?: number } | undefined): void {
    this.#account = account;
    this.#version++;
    for (const listener of this.#listeners) listener();
  }

  invoker(handlers: Handlers<Operations>, more: Partial<InvokerOptions<Operations>> = {}) {
    const inputs = { readThing: named, writeThing: named, loadThings: named };
    return createInvoker<Operations>({
      operations,
      inputs,
      handlers,
      guard: this.guard,
      watches: this.watches,
      clock: { now: () => this.now },
      mode: () => 'wr',
      ...more,
    });
  }
}

/** A body that arrives when the test says so. */
function held(input: object) {
  const arrival = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  return {
    begun: begun.promise,
    arrive: arrival.resolve,
    read: async (precheck: (parameters: object) => Promise<void>) => {
      await precheck({});
      begun.resolve();
      await arrival.promise;
      return input;
    },
  };
}

const by = async (_input: object, { identity }: Context) => ({ by: identity.account ?? '' });

describe('a call whose body arrives later than its head', () => {
  const changes: [string, (accounts: Accounts) => void, string][] = [['is disabled',
    (accounts) => accounts.change(undefined), 'unauthenticated'], ['was deleted and created again',
    (accounts) => accounts.change({ id: 'second', may: ['read', 'write'] }), 'unauthenticated'], ['lost the permission',
    (accounts) => accounts.change({ id: 'first', may: [] }), 'forbidden'], ['has an expired credential', (accounts) => {
    accounts.change({ id: 'first', may: ['read', 'write'], expiresAt: 5 });
    accounts.now = 5;
  }, 'unauthenticated']];

  it.each(changes)('is refused when the caller %s meanwhile', async (_what, change, code) => {
    for (const id of ['readThing', 'writeThing'] as const) {
      const accounts = new Accounts();
      let calls = 0;
      const count = async () => (calls++, { by: '' });
      const body = held({ name: 'a' });
      const answer = accounts.invoker({ readThing: count, writeThing: count })(id, body.read, accounts.caller);
      await body.begun;
      change(accounts);
      body.arrive();
      await expect(answer).rejects.toMatchObject({ code });
      expect(calls).toBe(0);
    }
  });

  it('expires without any change of accounts', async () => {
    const accounts = new Accounts();
    accounts.change({ id: 'first', may: ['write'], expiresAt: 5 });
    const body = held({ name: 'a' });
    const answer = accounts.invoker({ writeThing: by })('writeThing', body.read, accounts.caller);
    await body.begun;
    accounts.now = 5;
    body.arrive();
    await expect(answer).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('goes on with the rights that the caller has by then', async () => {
    const accounts = new Accounts();
    const body = held({ name: 'a' });
    const answer = accounts.invoker({
      writeThing: async (_, { identity }) => ({ by: String(identity.may('read', 'a')) }),
    })('writeThing', body.read, accounts.caller);
    await body.begun;
    accounts.change({ id: 'first', may: ['write'] });
    body.arrive();
    expect((await answer).value).toEqual({ by: 'false' });
  });

  it('asks what other processes have changed, only if it waited', async () => {
    const accounts = new Accounts();
    const invoke = accounts.invoker({ writeThing: by }, {
      refresh: async () => {
        accounts.refreshed++;
        accounts.change(undefined);
      },
    });
    expect((await invoke('writeThing', { name: 'a' }, accounts.caller)).value).toEqual({ by: 'first' });
    expect(accounts.refreshed).toBe(0);
    const body = held({ name: 'a' });
    const answer = invoke('writeThing', body.read, accounts.caller);
    await body.begun;
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    body.arrive();
    await expect(answer).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(accounts.refreshed).toBe(1);
  });
});

describe('a call during which nothing has changed', () => {
  it('identifies its caller once', async () => {
    const accounts = new Accounts();
    const invoke = accounts.invoker({
      readThing: async (_, context) => (await context.requirePermission(), { by: '' }),
    });
    await invoke('readThing', async () => ({ name: 'a' }), accounts.caller);
    expect(accounts.identified).toBe(1);
  });
});

describe('a handler that has waited', () => {
  it('can ask whether its caller still has the permission', async () => {
    const accounts = new Accounts();
    const invoke = accounts.invoker({
      writeThing: async (_, context) => {
        expect(context.isPermitted()).toBe(true);
        accounts.change({ id: 'first', may: ['read'] });
        expect(context.isPermitted()).toBe(false);
        await context.requirePermission();
        return { by: 'nobody' };
      },
    });
    await expect(invoke('writeThing', { name: 'a' }, accounts.caller)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('reads the rights that the caller has by then', async () => {
    const accounts = new Accounts();
    const invoke = accounts.invoker({
      writeThing: async (_, context) => {
        accounts.change({ id: 'first', may: ['write'] });
        await context.requirePermission();
        return { by: String(context.identity.may('read', 'a')) };
      },
    });
    expect((await invoke('writeThing', { name: 'a' }, accounts.caller)).value).toEqual({ by: 'false' });
  });

  it('answers a read to nobody who has lost the permission', async () => {
    const accounts = new Accounts();
    const invoke = accounts.invoker({ readThing: async () => (accounts.change(undefined), { by: 'stored' }) });
    await expect(invoke('readThing', { name: 'a' }, accounts.caller)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });
});

describe('an operation without a time limit', () => {
  const bytes = (text: string) => Buffer.from(text);

  it('is aborted with the reason when the permission ends', async () => {
    const accounts = new Accounts();
    const invoke = accounts.invoker({
      loadThings: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
          accounts.change(undefined);
        }),
    });
    await expect(invoke('loadThings', { name: 'a' }, accounts.caller)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    expect(accounts.watches.size).toBe(0);
  });

  it('is aborted while its file is sent, by the same signal', async () => {
    const accounts = new Accounts();
    let signal: AbortSignal | undefined;
    const invoke = accounts.invoker({
      loadThings: async (_, context) => {
        ({ signal } = context);
        return {
          contentType: 'text/plain',
          content: (async function*() {
            yield bytes('a');
            accounts.change(undefined);
            await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
            yield bytes('b');
          })(),
        };
      },
    });
    const { content } = (await invoke('loadThings', { name: 'a' }, accounts.caller)).value;
    const read: string[] = [];
    await expect((async () => {
      for await (const piece of content as AsyncIterable<Uint8Array>) read.push(Buffer.from(piece).toString());
    })()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(read).toEqual(['a']);
    expect(signal!.reason).toMatchObject({ code: 'unauthenticated' });
    expect(accounts.watches.size).toBe(0);
  });

  it('is not watched after it has ended', async () => {
    const accounts = new Accounts();
    const invoke = accounts.invoker({ loadThings: async () => ({ contentType: 'text/plain', content: 'a' }) });
    await invoke('loadThings', { name: 'a' }, accounts.caller);
    expect(accounts.watches.size).toBe(0);
  });
});
