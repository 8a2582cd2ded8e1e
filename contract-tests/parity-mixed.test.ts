import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OperationId } from '../generated/docs/operations.ts';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from './fuzz/run.ts';
import type { Driver, Input } from './parity/driver.ts';
import { type Drivers, driversOf } from './parity/drivers.ts';
import { play, shown } from './parity/transcript.ts';

let server: DocsServer;
let drivers: Drivers;

beforeAll(async () => {
  server = await startDocsServer({ clock: { now: () => 1_766_400_000_000 } });
  drivers = await driversOf(server);
});
afterAll(async () => {
  await drivers.close();
  await server.stop();
});

const text = fc.oneof(fc.constantFrom('', 'red apples', '# Blue whales', 'apples, apples', '🧭 %%name%%'),
  fc.string({ unit: 'binary', maxLength: 20 }).filter((each) => each.isWellFormed()));
const identity = { key: fc.constantFrom('a', 'A', 'b', 'c/d', 'bad|key', ''), lang: fc.constantFrom('en', 'EN', 'de') };
const meta = fc.dictionary(fc.constantFrom('tags', 'kind', '__proto__', 'filter_meta', 'ä'),
  fc.array(fc.constantFrom('x', 'y', '', '🗝'), { maxLength: 3 }), { maxKeys: 3 });
const ttl = fc.constantFrom(-1, 0, 60, 2 ** 40);
const maybe = { requiredKeys: [] as [] };

const call = (operation: OperationId, input: fc.Arbitrary<Input>) =>
  input.map((given) => ({ operation, input: given }));
const calls = fc.oneof({
  arbitrary: call('addDocument',
    fc.tuple(fc.record({ ...identity, contentMd: text }), fc.record({ meta, ttl, saveRevision: fc.boolean() }, maybe))
      .map(([a, b]) => ({ ...a, ...b }))),
  weight: 4,
}, {
  arbitrary: call('updateDocument',
    fc.tuple(fc.record(identity), fc.record({ meta, ttl, contentMd: text }, maybe)).map(([a, b]) => ({ ...a, ...b }))),
  weight: 2,
}, call('addDocuments', fc.record({
  documents: fc.array(fc.record({ ...identity, contentMd: text, meta, ttl }, maybe), {
    minLength: 1,
    maxLength: 4,
  }),
})), call('deleteDocument', fc.record(identity)),
  call('deleteDocuments',
    fc.record({ documents: fc.array(fc.record(identity, maybe), { minLength: 1, maxLength: 3 }) })),
  call('setDocumentTtl', fc.record({ ...identity, ttl })), call('getDocument', fc.record(identity)),
  call('getDocumentMeta', fc.record(identity)), {
  arbitrary: call('searchDocuments', fc.record({
    filterMeta: meta,
    sort: fc.constantFrom('key', 'addedAt', 'size'),
    asc: fc.boolean(),
    limit: fc.integer({ min: -1, max: 5 }),
    offset: fc.integer({ min: -1, max: 3 }),
    includeContent: fc.boolean(),
  }, maybe)),
  weight: 3,
}, {
  arbitrary: call('searchFullText', fc.record({
    query: text,
    limit: fc.integer({ min: 0, max: 3 }),
    fuzzy: fc.integer({ min: -1, max: 3 }),
    highlight: fc.boolean(),
  }, { requiredKeys: ['query'] })),
  weight: 2,
}, call('listRevisions', fc.record(identity)),
  call('truncateRevisions', fc.record({ keepRevs: fc.integer({ min: -1, max: 2 }) })),
  call('listMetaKeys', fc.constant({})), call('deleteCollection', fc.constant({})),
  call('setSchema',
    fc.record({ schema: fc.constantFrom({ required: ['tags'] }, { properties: { kind: { enum: ['x'] } } }) })),
  call('deleteSchema', fc.constant({})), call('validateDocument', fc.record({ meta })));

/** Each call uses a randomly chosen protocol. */
function mixed(all: readonly Driver[], order: readonly number[]): Driver {
  let at = -1;
  const next = (): Driver => all[order[at]! % all.length]!;
  return {
    protocol: 'mixed',
    lacks(operation, input) {
      at++;
      return next().lacks(operation, input);
    },
    call: (operation, input) => next().call(operation, input),
    view: (operation, outcome) => outcome,
    close: () => Promise.resolve(),
  };
}

let run = 0;

it('a collection is the same whatever mix of protocols its calls come over', async () => {
  const steps = fc.array(fc.tuple(calls, fc.nat(4)), { minLength: 5, maxLength: 25 });
  await fuzz('mixed protocols', steps, async (drawn) => {
    const { rest, others } = drivers;
    const all = [rest, ...others];
    const name = `mixed-${run++}`;
    const scenario: Parameters<typeof play>[0] = async ({ ok }) => {
      for (const [{ operation, input }] of drawn) await ok(operation, input);
    };
    const reference = await play(scenario, rest, rest, `${name}-a`);
    const over = await play(scenario, mixed(all, drawn.map(([, n]) => n)), rest, `${name}-b`);
    for (const [i, { operation, outcome, borrowed, input }] of over.entries()) {
      const driver = borrowed === undefined ? all[drawn[i]![1] % all.length]! : rest;
      expect(outcome, `${driver.protocol}: ${shown(over[i]!)}`).toEqual(
        driver.view(operation, reference[i]!.outcome, input),
      );
    }
  });
}, FUZZ_TIMEOUT_MS);
