import { describe, expect, it } from 'vitest';
import { ServiceError } from '../errors/index.ts';
import { type AccessMode, ANONYMOUS, type Caller, type Guard, type Identity, type Protocol } from './caller.ts';
import { type Download, type Handlers, Reply } from './handler.ts';
import { createInvoker } from './invoke.ts';
import type { Operation, OperationSpec } from './spec.ts';
import type { Preconditions } from './steps/input.ts';
import type { Outcome } from './steps/observe.ts';

interface Operations {
  readThing: Operation<{ name: string; limit: number }, { name: string; limit: number }>;
  writeThing: Operation<{ name: string }, { done: boolean }>;
  repairThing: Operation<{ name: string }, { name: string }>;
  noteThing: Operation<Record<never, never>, { ok: boolean }>;
  lookAround: Operation<Record<never, never>, { ok: boolean }>;
  listThings: Operation<{ offset?: number; limit?: number },
    { things: string[]; truncated?: true; nextOffset?: number }>;
}

const base = {
  method: 'POST',
  path: '/x',
  area: 'things',
  summary: '',
  access: 'read',
  limited: true,
  sanitize: false,
  status: 200,
  parameters: [],
  consumes: ['application/json'],
  produces: ['application/json'],
} as const;
const operations: { [K in keyof Operations]: OperationSpec } = {
  readThing: { ...base, id: 'readThing', effect: 'read' },
  writeThing: { ...base, id: 'writeThing', effect: 'write' },
  repairThing: { ...base, id: 'repairThing', effect: 'read', sanitize: true },
  noteThing: { ...base, id: 'noteThing', effect: 'none', stores: true },
  lookAround: { ...base, id: 'lookAround', effect: 'none', produces: ['application/json', 'text/plain'] },
  listThings: { ...base, id: 'listThings', effect: 'read', pages: 'things' },
};

const named = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1, 'x-max-bytes': 8 } },
};
const inputs = {
  readThing: {
    ...named,
    properties: { ...named.properties, limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 } },
  },
  writeThing: named,
  repairThing: named,
  noteThing: { type: 'object', properties: { at: { type: 'integer', format: 'int64' } } },
  lookAround: { type: 'object' },
  listThings: {
    type: 'object',
    properties: { offset: { type: 'integer', minimum: 0 }, limit: { type: 'integer', minimum: 1 } },
  },
};

const caller: Caller = { protocol: 'http', requestId: 'test' };

interface Setting {
  readonly mode?: AccessMode;
  readonly handlers?: Handlers<Operations>;
  readonly timeoutMs?: number;
  readonly guard?: Guard;
  readonly preconditions?: Preconditions<Operations>;
  readonly fences?: Preconditions<Operations>;
  readonly strictInput?: boolean;
  readonly answerBytes?: (protocol: Protocol) => number;
  readonly inputs?: typeof inputs;
}

function setUp({ mode = 'wr', handlers = {}, timeoutMs = 0, ...setting }: Setting = {}) {
  const outcomes: Outcome[] = [];
  const invoke = createInvoker<Operations>({
    operations,
    inputs,
    mode: () => mode,
    timeoutMs,
    ...setting,
    observe: (outcome) => outcomes.push(outcome),
    handlers: {
      readThing: async (input) => input,
      writeThing: async () => ({ done: true }),
      repairThing: async (input) => input,
      noteThing: async () => ({ ok: true }),
      lookAround: async () => ({ ok: true }),
      listThings: async () => ({ things: ['a', 'b', 'c'] }),
      ...handlers,
    },
  });
  return { invoke, outcomes };
}

const failure = async (promise: Promise<unknown>): Promise<ServiceError> => {
  const error = await promise.then(() => undefined, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
};

describe('reads that arrive in the same turn of the event loop', () => {
  /**
   * The turn in which each of three reads and a write began, of which each takes 10 ms; in the order in which they
   * began.
   */
  async function turnsOf(schemas: typeof inputs): Promise<Map<string, number>> {
    let turn = 0;
    const begun = new Map<string, number>();
    const work = (name: string): void => {
      begun.set(name, turn);
      for (const end = performance.now() + 10; performance.now() < end;);
    };
    const { invoke } = setUp({
      inputs: schemas,
      handlers: {
        readThing: async (input) => (work(input.name), input),
        writeThing: async ({ name }) => (work(name), { done: true }),
      },
    });
    let isOver = false;
    const next = (): void => void (isOver || (turn += 1, setImmediate(next)));
    // The first of them may run at the end of a turn that has been used.
    for (let i = 0; i < 2; i++) await new Promise(setImmediate);
    const done = Promise.all([...['a', 'b', 'c'].map((name) => invoke('readThing', { name }, caller)),
      invoke('writeThing', { name: 'd' }, caller)]);
    setImmediate(next);
    await done;
    isOver = true;
    return begun;
  }

  it('begin in later turns where those before them take its time, in their order; writes do not wait', async () => {
    const { invoke } = setUp();
    // Their validators are compiled by the first calls.
    await Promise.all([invoke('readThing', { name: 'a' }, caller), invoke('writeThing', { name: 'd' }, caller)]);
    const turnOf = await turnsOf(inputs);
    expect([...turnOf.keys()].filter((name) => name !== 'd')).toEqual(['a', 'b', 'c']);
    expect(turnOf.get('d')).toBe(turnOf.get('a'));
    expect(turnOf.get('b')).toBeGreaterThan(turnOf.get('a')!);
    expect(turnOf.get('c')).toBeGreaterThan(turnOf.get('b')!);
  });

  it('do so too when they have waited for the same validator', async () => {
    const turnOf = await turnsOf(structuredClone(inputs));
    expect([...turnOf.keys()].filter((name) => name !== 'd')).toEqual(['a', 'b', 'c']);
    expect(turnOf.get('b')).toBeGreaterThan(turnOf.get('a')!);
    expect(turnOf.get('c')).toBeGreaterThan(turnOf.get('b')!);
  });
});

describe('invoke', () => {
  it('fills in defaults before the handler runs', async () => {
    const { invoke } = setUp();
    expect((await invoke('readThing', { name: 'a' }, caller)).value).toEqual({ name: 'a', limit: 50 });
  });

  it('names the missing fields, empty ones included, in one message', async () => {
    const { invoke } = setUp();
    const error = await failure(invoke('readThing', { name: '' }, caller));
    expect(error.code).toBe('missing_fields');
    expect(error.message).toBe('missing fields: name');
  });

  it('says what a field must be and what it got', async () => {
    const { invoke } = setUp();
    const error = await failure(invoke('readThing', { name: 'a', limit: 1000 }, caller));
    expect(error.message).toBe('limit must be at most 100, got 1000');
    expect(error.status).toBe(400);
  });

  it('counts lengths in UTF-8 bytes where the specification does', async () => {
    const { invoke } = setUp();
    expect((await failure(invoke('writeThing', { name: 'äöüäö' }, caller))).message).toBe(
      'name must be at most 8 bytes',
    );
    expect((await invoke('writeThing', { name: 'äöüä' }, caller)).value).toEqual({ done: true });
  });

  it('refuses fields that the operation does not have, before all that is wrong with the others (decision D-04)', async () => {
    const { invoke } = setUp({ strictInput: true });
    const misspelled = await failure(invoke('readThing', { nmae: 'a' } as never, caller));
    expect([misspelled.code, misspelled.message, misspelled.errors]).toEqual(['missing_fields',
      'unknown field "nmae"; did you mean "name"? missing fields: name', ['unknown field "nmae"; did you mean "name"?',
      'missing fields: name']]);
    const several = await failure(invoke('readThing', { name: 'a', color: 1, size: 2 } as never, caller));
    expect([several.status, several.code, several.message]).toEqual([400, 'invalid_argument',
      'unknown field "color"; unknown field "size"']);
  });

  it('skips them where configured, and says so in the response', async () => {
    const { invoke } = setUp({
      strictInput: false,
      handlers: { writeThing: async () => ({ done: true, warnings: ['its own'] }) },
    });
    const warning = 'unknown field "limt" is ignored; did you mean "limit"?';
    expect((await invoke('readThing', { name: 'a', limt: 5 } as never, caller)).value).toMatchObject({
      limit: 50,
      warnings: [warning],
    });
    expect((await invoke('writeThing', { name: 'a', color: 1 } as never, caller)).value).toEqual({
      done: true,
      warnings: ['its own', 'unknown field "color" is ignored'],
    });
    expect((await invoke('readThing', { name: 'a' }, caller)).value).not.toHaveProperty('warnings');
  });

  it('leaves them to the schema by default', async () => {
    const { invoke } = setUp();
    expect((await invoke('writeThing', { name: 'a', color: 1 } as never, caller)).value).toEqual({ done: true });
  });

  it('keeps every violation beside the joined message', async () => {
    const { invoke } = setUp();
    const error = await failure(invoke('readThing', { limit: 'x' }, caller));
    expect(error.errors).toEqual(['missing fields: name', 'limit must be an integer, got a string']);
  });

  it('refuses lone surrogates unless the operation repairs text', async () => {
    const { invoke } = setUp();
    expect((await failure(invoke('writeThing', { name: '\ud800' }, caller))).message).toBe(
      'name must be valid Unicode text',
    );
    expect((await invoke('repairThing', { name: '\ud800' }, caller)).value).toEqual({ name: '\ud800' });
  });

  it('refuses nesting that would exhaust the stack', async () => {
    const { invoke } = setUp();
    let deep: unknown = 'x';
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect((await failure(invoke('writeThing', { name: 'a', deep }, caller))).message).toMatch(
      /nested deeper than 64 levels/,
    );
  });

  it('refuses writes in read mode and reads in write mode, and neither stops operations without effect', async () => {
    const read = setUp({ mode: 'read' });
    expect((await failure(read.invoke('writeThing', { name: 'a' }, caller))).message).toBe('read-only mode');
    const write = setUp({ mode: 'write' });
    expect((await failure(write.invoke('readThing', { name: 'a' }, caller))).message).toBe('write-only mode');
    expect((await read.invoke('lookAround', {}, caller)).value).toEqual({ ok: true });
    expect((await write.invoke('lookAround', {}, caller)).value).toEqual({ ok: true });
  });

  it('refuses all writes of a caller with read permission only, with the reason', async () => {
    const { invoke } = setUp();
    const reader: Caller = { ...caller, readsOnly: 'this page may only read' };
    for (const id of ['writeThing', 'noteThing'] as const) {
      expect(await failure(invoke(id, { name: 'a' }, reader))).toMatchObject({
        code: 'forbidden',
        message: 'this page may only read',
      });
    }
    expect((await invoke('readThing', { name: 'a' }, reader)).value).toEqual({ name: 'a', limit: 50 });
    expect((await invoke('lookAround', {}, reader)).value).toEqual({ ok: true });
  });

  it('refuses integers that are no 64-bit ones, or not the ones that were written', async () => {
    const { invoke } = setUp();
    const note = (at: number) => invoke('noteThing', { at }, caller);
    for (const at of [1e300, -1e300, 2 ** 63, 2 ** 53]) {
      expect(await failure(note(at))).toMatchObject({
        code: 'invalid_argument',
        message: `at must be an integer from -9007199254740991 to 9007199254740991, got ${at}`,
      });
    }
    expect((await failure(note(1.5))).message).toContain('at must be an integer');
    expect((await note(Number.MAX_SAFE_INTEGER)).value).toEqual({ ok: true });
  });

  it('returns not_implemented where there is no handler, even for a bad input', async () => {
    const { invoke } = setUp({ handlers: { writeThing: undefined as never } });
    const error = await failure(invoke('writeThing', {}, caller));
    expect([error.code, error.status]).toEqual(['not_implemented', 501]);
  });

  it('passes headers of a reply on', async () => {
    const { invoke } = setUp({
      handlers: { writeThing: async () => new Reply({ done: true }, { 'X-Total-Count': '3' }) },
    });
    expect((await invoke('writeThing', { name: 'a' }, caller)).headers).toEqual({ 'X-Total-Count': '3' });
  });

  it('returns the page of a list that was asked for, as much of it as one response may hold for the protocol', async () => {
    const { invoke } = setUp({ answerBytes: (protocol) => (protocol === 'mcp' ? 100 : 1000) });
    expect((await invoke('listThings', { offset: 1, limit: 1 }, caller)).value).toEqual({ things: ['b'] });
    expect((await invoke('listThings', { offset: 1 }, caller)).value).toEqual({ things: ['b', 'c'] });
    expect((await invoke('listThings', { offset: 1 }, { ...caller, protocol: 'mcp' })).value).toEqual({
      things: ['b'],
      truncated: true,
      nextOffset: 2,
    });
    expect((await failure(invoke('listThings', { limit: 0 }, caller))).message).toBe('limit must be at least 1, got 0');
  });

  it('returns busy and aborts the signal when the time is up', async () => {
    let signal: AbortSignal | undefined;
    const { invoke } = setUp({
      timeoutMs: 5,
      handlers: { lookAround: (_input, context) => ((signal = context.signal), new Promise(() => undefined)) },
    });
    const error = await failure(invoke('lookAround', {}, caller));
    expect([error.code, error.status]).toEqual(['busy', 503]);
    expect(signal?.aborted).toBe(true);
  });

  it('reports every outcome once, failures with their error', async () => {
    const { invoke, outcomes } = setUp();
    await invoke('lookAround', {}, caller);
    await failure(invoke('writeThing', {}, caller));
    expect(outcomes.map(({ operation, error }) => [operation.id, (error as ServiceError | undefined)?.code])).toEqual([[
      'lookAround',
      undefined,
    ], ['writeThing', 'missing_fields']]);
  });

  it('lets everyone in where there is no guard, and names the caller to the handler where there is one', async () => {
    const seen: Identity[] = [];
    const handlers: Handlers<Operations> = {
      lookAround: async (_input, { identity }) => (seen.push(identity), { ok: true }),
    };
    await setUp({ handlers }).invoke('lookAround', {}, caller);
    expect(seen[0]).toMatchObject({ admin: true, by: 'nothing' });
    const ann: Identity = { username: 'ann', admin: true, by: 'token', may: () => true };
    const guarded = setUp({ handlers, guard: { identify: async () => ann } });
    await guarded.invoke('lookAround', {}, caller);
    expect(seen[1]).toBe(ann);
    expect(guarded.outcomes[0]!.identity).toBe(ann);
  });

  it('reads no input of rejected callers, and knows afterwards who was rejected', async () => {
    let reads = 0;
    const read = async () => (reads += 1, { name: 'a' });
    const strangers = setUp({
      guard: { identify: () => Promise.reject(new ServiceError('unauthenticated', 'invalid token')) },
    });
    expect((await failure(strangers.invoke('writeThing', read, caller))).code).toBe('unauthenticated');
    const onlyReads = setUp({ mode: 'read' });
    expect((await failure(onlyReads.invoke('writeThing', read, caller))).code).toBe('read_only');
    expect([reads, strangers.outcomes[0]]).toMatchObject([0,
      expect.not.objectContaining({ input: expect.anything() as unknown })]);
    const guest = setUp({ guard: { identify: () => ({ ...ANONYMOUS, username: 'guest', by: 'token' }) } });
    expect((await failure(guest.invoke('writeThing', read, caller))).code).toBe('admin_required');
    expect([reads, guest.outcomes[0]]).toMatchObject([1, { identity: { username: 'guest' }, input: { name: 'a' } }]);
    expect((await setUp().invoke('writeThing', read, caller)).value).toEqual({ done: true });
    expect(
      (await failure(
        setUp().invoke('writeThing', () => Promise.reject(new ServiceError('invalid_json', 'no')), caller),
      )).code,
    ).toBe('invalid_json');
  });

  it('checks preconditions once, before the rest of the input is read', async () => {
    const asked: unknown[] = [];
    const refusing = ({ name }: { name?: unknown }) => {
      asked.push(name);
      if (name === 'no') throw new ServiceError('not_found', 'not here');
    };
    const { invoke, outcomes } = setUp({ preconditions: { writeThing: refusing } });
    const read = (parameters: object) => async (precheck: (parameters: object) => Promise<void>) => {
      await precheck(parameters);
      return { name: 'read' };
    };
    expect((await failure(invoke('writeThing', read({ name: 'no' }), caller))).code).toBe('not_found');
    expect(outcomes[0]!.input).toBeUndefined();
    await invoke('writeThing', read({ name: 'yes' }), caller);
    expect((await failure(invoke('writeThing', { name: 'no' }, caller))).code).toBe('not_found');
    await invoke('writeThing', async () => ({ name: 'late' }), caller);
    await invoke('readThing', { name: 'no' }, caller);
    expect(asked).toEqual(['no', 'yes', 'no', 'late']);
  });

  it('asks first for the access mode, then for the caller and the permission, and only then for the input', async () => {
    const guard = (identity: Identity | undefined): Guard => ({
      identify() {
        if (identity === undefined) throw new ServiceError('unauthenticated', 'missing authentication');
        return identity;
      },
    });
    const codeOf = async (options: Parameters<typeof setUp>[0]) =>
      (await failure(setUp(options).invoke('writeThing', {}, caller))).code;
    expect(await codeOf({ mode: 'read', guard: guard(undefined) })).toBe('read_only');
    expect(await codeOf({ guard: guard(undefined) })).toBe('unauthenticated');
    expect(await codeOf({ guard: guard(ANONYMOUS), handlers: { writeThing: undefined as never } })).toBe(
      'admin_required',
    );
    expect(await codeOf({ guard: guard({ ...ANONYMOUS, admin: true }) })).toBe('missing_fields');
    const unknown = setUp({ guard: guard(undefined) });
    await failure(unknown.invoke('writeThing', {}, caller));
    expect(unknown.outcomes[0]!.identity).toBeUndefined();
  });
});

describe('a file that is made while it is read', () => {
  it.each([['the credential', 'unauthenticated'], ['the permission for what is stored', 'run_not_found']] as const)(
    'breaks off when %s ends, before another piece goes out',
    async (what, code) => {
      let allowed = true;
      const end = (): never => {
        throw new ServiceError(code, 'no more');
      };
      const guard: Guard = {
        identify: () => (allowed || what !== 'the credential'
          ? { username: 'ann', admin: true, by: 'token', may: () => allowed }
          : end()),
      };
      const fences: Preconditions<Operations> = {
        lookAround: (_, identity) => void (identity.may('read', 'project') || end()),
      };
      let closed = false;
      async function* content() {
        try {
          for (let i = 0;; i++) yield Buffer.from(String(i));
        } finally {
          closed = true;
        }
      }
      const { invoke } = setUp({
        guard,
        fences,
        handlers: { lookAround: async () => ({ contentType: 'text/plain', content: content() }) as never },
      });
      const pieces = ((await invoke('lookAround', {}, caller)).value as unknown as Download).content as AsyncGenerator<
        Buffer
      >;
      expect([String((await pieces.next()).value), String((await pieces.next()).value)]).toEqual(['0', '1']);
      allowed = false;
      expect(await failure(pieces.next())).toMatchObject({ code });
      expect([closed, (await pieces.next()).done]).toEqual([true, true]);
    },
  );
});
