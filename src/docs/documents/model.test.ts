import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { sweepExpired } from './sweep.ts';
import { DRIVERS, Fixture } from './test-fixture.ts';

/**
 * Reference implementation of the rules on identity, spelling, revisions and expiry (contract section 2, decisions D-30
 * to D-36 and section
 * 3.1).
 */
class Reference {
  readonly #documents = new Map<string, ModelDocument>();
  readonly #deleted = new Map<string, ModelDocument>();

  #live(key: string, lang: string, now: number): ModelDocument | undefined {
    const document = this.#documents.get(idOf(key, lang));
    return document?.expiresAt !== undefined && document.expiresAt <= now ? undefined : document;
  }

  find(key: string, lang: string, now: number): ModelDocument | undefined {
    const document = this.#live(key, lang, now);
    return document?.spellings.has(key) ? document : undefined;
  }

  add({ key, lang, text, ttl, saveRevision }: Write, now: number, maxRevisions: number): 'added' | 'updated' {
    const before = this.#live(key, lang, now);
    const { revisions, newest } = (before === undefined ? this.findDeleted(key, lang, now) : undefined) ??
      { revisions: [], newest: 0 };
    if (before === undefined) this.#deleted.delete(idOf(key, lang));
    const document = before ?? {
      key,
      lang,
      text,
      addedAt: now,
      updatedAt: now,
      expiresAt: undefined,
      spellings: new Set<string>(),
      revisions,
      newest,
      isSaved: false,
    };
    this.#documents.set(idOf(key, lang), document);
    Object.assign(document, { key, lang });
    document.spellings.add(key);
    this.write(document, { text, ttl }, now, saveRevision, maxRevisions);
    return before === undefined ? 'added' : 'updated';
  }

  write(document: ModelDocument, { text, ttl }: { text?: string; ttl?: number | undefined }, now: number,
    saveRevision: boolean, maxRevisions: number): void
  {
    if (text !== undefined) document.text = text;
    if (ttl !== undefined) document.expiresAt = ttl === 0 ? undefined : now + ttl;
    document.updatedAt = now;
    document.isSaved = saveRevision;
    if (saveRevision) {
      document.newest += 1;
      document.revisions.unshift({ revision: document.newest, timestamp: now, updatedAt: now, text: document.text });
    }
    if (maxRevisions > 0) document.revisions.splice(maxRevisions);
  }

  /** The deleted version becomes a revision, if it is not one already. */
  delete(key: string, lang: string): void {
    const document = this.#documents.get(idOf(key, lang))!;
    this.#documents.delete(idOf(key, lang));
    const { text, updatedAt } = document;
    if (!document.isSaved)
      document.revisions.unshift({ revision: ++document.newest, timestamp: updatedAt, updatedAt, text });
    this.#deleted.set(idOf(key, lang), document);
  }

  /** By any spelling, until the document would have expired. */
  findDeleted(key: string, lang: string, now: number): ModelDocument | undefined {
    const document = this.#live(key, lang, now) === undefined ? this.#deleted.get(idOf(key, lang)) : undefined;
    return document?.expiresAt !== undefined && document.expiresAt <= now ? undefined : document;
  }

  restore({ key, lang, addedAt }: ModelDocument, text: string, now: number, maxRevisions: number): void {
    this.add({ key, lang, text, ttl: undefined, saveRevision: true }, now, maxRevisions);
    this.#documents.get(idOf(key, lang))!.addedAt = addedAt;
  }

  allDeleted(now: number): ModelDocument[] {
    return [...this.#deleted.values()].filter(({ key, lang }) => this.findDeleted(key, lang, now) !== undefined);
  }

  /** Documents that are not swept exist again when the clock is set back. */
  sweep(now: number): void {
    for (const [id, { expiresAt }] of this.#documents)
      if (expiresAt !== undefined && expiresAt <= now) this.#documents.delete(id);
  }

  every(): Iterable<ModelDocument> {
    return this.#documents.values();
  }

  all(now: number): ModelDocument[] {
    return [...this.#documents.values()].filter(({ key, lang }) => this.#live(key, lang, now) !== undefined);
  }
}

interface ModelDocument {
  key: string;
  lang: string;
  text: string;
  addedAt: number;
  updatedAt: number;
  expiresAt: number | undefined;
  spellings: Set<string>;
  revisions: { revision: number; timestamp: number; updatedAt: number; text: string }[];
  newest: number;
  /** Whether the newest revision is the current version. */
  isSaved: boolean;
}

interface Write {
  key: string;
  lang: string;
  text: string;
  ttl: number | undefined;
  saveRevision: boolean;
}

const idOf = (key: string, lang: string): string => `${key.toLowerCase()}|${lang.toLowerCase()}`;
/** The metadata are derived from the text, so that both are checked. */
const metaOf = (text: string) => ({ text: [text, text], __length__: [String(text.length)] });

const key = fc.constantFrom('a', 'A', 'ß', 'Éa', 'éA', 'éa');
const lang = fc.constantFrom('en', 'EN', 'de');
const text = fc.constantFrom('', 'one', 'two', 'long '.repeat(300));
const ttl = fc.option(fc.constantFrom(0, 1, 3), { nil: undefined });
const write = fc.record({ key, lang, text, ttl, saveRevision: fc.boolean() });
const step = fc.oneof({ weight: 4, arbitrary: fc.record({ op: fc.constant('add' as const), write }) }, {
  weight: 2,
  arbitrary: fc.record({ op: fc.constant('batch' as const), writes: fc.array(write, { minLength: 1, maxLength: 5 }) }),
}, {
  weight: 2,
  arbitrary: fc.record({
    op: fc.constant('update' as const),
    key,
    lang,
    text: fc.option(text, { nil: undefined }),
    ttl: fc.constantFrom(0, 2),
  }),
}, { weight: 2, arbitrary: fc.record({ op: fc.constantFrom('delete' as const, 'restore' as const), key, lang }) }, {
  weight: 1,
  arbitrary: fc.record({ op: fc.constant('setTtl' as const), key, lang, ttl: fc.constantFrom(0, 2) }),
}, { weight: 2, arbitrary: fc.record({ op: fc.constant('advance' as const), seconds: fc.constantFrom(0, 1, 2, -1) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constantFrom('sweep' as const, 'truncate' as const) }) });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

describe.each(DRIVERS)('documents over %s behave as the reference', (driver) => {
  let fixture: Fixture;
  let runs = 0;
  beforeAll(async () => {
    fixture = await Fixture.open(driver);
  });
  afterAll(() => fixture.close());

  it('in any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.constantFrom(0, 0, 2), async (steps, maxRevisions) => {
        const collection = `c${runs++}`;
        if (maxRevisions > 0) await fixture.call('setCollectionConfig', { collection, maxRevisions });
        const reference = new Reference();
        for (const each of steps) await play(fixture, collection, reference, each, maxRevisions);
        await compareAll(fixture, collection, reference);
      }),
      { numRuns: driver === 'sql.js' ? 100 : 60 },
    );
  });
});

/** Does one step on both sides and compares the results. */
async function play(fixture: Fixture, collection: string, reference: Reference, step: Step,
  maxRevisions: number): Promise<void>
{
  switch (step.op) {
    case 'add': {
      const { text, ...item } = step.write;
      reference.add(step.write, fixture.now, maxRevisions);
      expect(await fixture.call('addDocument', { collection, ...item, contentMd: text, meta: metaOf(text) })).toEqual(
        alone(collection, reference.find(item.key, item.lang, fixture.now)!),
      );
      return;
    }
    case 'batch': {
      const outcomes = step.writes.map((item) => reference.add(item, fixture.now, maxRevisions));
      const documents = step.writes.map(({ text, ...item }) => ({ ...item, contentMd: text, meta: metaOf(text) }));
      const added = outcomes.filter((outcome) => outcome === 'added').length;
      expect(await fixture.call('addDocuments', { collection, documents })).toEqual({
        added,
        updated: outcomes.length - added,
        failed: 0,
        errors: [],
      });
      return;
    }
    case 'advance':
      return fixture.advance(step.seconds);
    case 'sweep':
      reference.sweep(fixture.now);
      await sweepExpired(fixture.environment);
      return;
    case 'truncate':
      for (const document of reference.every()) document.revisions.splice(1);
      await fixture.call('truncateRevisions', { collection, keepRevs: 1 });
      return;
    default:
      return playNamed(fixture, collection, reference, step, maxRevisions);
  }
}

type NamedStep = Extract<Step, { key: string }>;

/** The steps that name one document, which must exist under exactly that spelling. */
async function playNamed(fixture: Fixture, collection: string, reference: Reference, step: NamedStep,
  maxRevisions: number): Promise<void>
{
  const { now } = fixture;
  const name = { collection, key: step.key, lang: step.lang };
  const document = reference.find(step.key, step.lang, now);
  const deleted = step.op === 'restore' && document === undefined
    ? reference.findDeleted(step.key, step.lang, now)
    : undefined;
  const answer = await invoke(fixture, name, step, document ?? deleted).catch((error: unknown) => error);
  if (deleted !== undefined) {
    reference.restore(deleted, deleted.revisions.at(-1)!.text, now, maxRevisions);
    return expect(answer).toEqual(shown(collection, reference.find(deleted.key, deleted.lang, now)!));
  }
  if (document === undefined) {
    expect(answer).toBeInstanceOf(ServiceError);
    return expect((answer as ServiceError).code).toBe('not_found');
  }
  if (step.op === 'delete') {
    reference.delete(step.key, step.lang);
    return expect(answer).toEqual({ ...name, deleted: true, status: 'deleted' });
  }
  if (step.op === 'setTtl') document.expiresAt = step.ttl === 0 ? undefined : now + step.ttl;
  if (step.op === 'update')
    reference.write(document, step.text === undefined ? { ttl: step.ttl } : { text: step.text, ttl: step.ttl }, now,
      true, maxRevisions);
  if (step.op === 'restore') {
    const oldest = document.revisions.at(-1);
    if (oldest === undefined) return expect(answer).toMatchObject({ code: 'not_found' });
    reference.write(document, { text: oldest.text }, now, true, maxRevisions);
  }
  const live = reference.find(step.key, step.lang, now);
  expect(answer).toEqual(alone(collection, live!));
}

function invoke(fixture: Fixture, name: object, step: NamedStep,
  document: ModelDocument | undefined): Promise<unknown>
{
  switch (step.op) {
    case 'delete':
      return fixture.call('deleteDocument', name);
    case 'restore':
      return fixture.call('restoreRevision', { ...name, revision: document?.revisions.at(-1)?.revision ?? 0 });
    case 'setTtl':
      return fixture.call('setDocumentTtl', { ...name, ttl: step.ttl });
    case 'update':
      return fixture.call('updateDocument', {
        ...name,
        ttl: step.ttl,
        ...(step.text !== undefined && { contentMd: step.text, meta: metaOf(step.text) }),
      });
  }
}

/** A document that is the whole response. */
const alone = (...args: Parameters<typeof shown>) => ({
  ...shown(...args),
  checksum: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
});

/** Every document by every spelling, its revisions, and all of them by search, index and counter. */
async function compareAll(fixture: Fixture, collection: string, reference: Reference): Promise<void> {
  const documents = reference.all(fixture.now);
  const expected = documents.map((document) => shown(collection, document));
  expect(await fixture.call('searchDocuments', { collection })).toEqual(expected.sort(byKeyThenId));
  for (const document of documents) {
    for (const spelling of document.spellings) {
      expect(await fixture.call('getDocument', { collection, key: spelling, lang: document.lang })).toEqual(
        alone(collection, document),
      );
    }
    const { revisions } = await fixture.call('listRevisions', { collection, key: document.key, lang: document.lang });
    expect(revisions).toEqual(
      document.revisions.map(({ text, ...revision }) => ({ ...revision, contentMd: text, meta: metaOf(text) })),
    );
    const found = await fixture.call('searchDocuments', { collection, filterMeta: { text: [document.text] } });
    expect(found).toContainEqual(shown(collection, document));
  }
  const deleted = reference.allDeleted(fixture.now);
  const trash = deleted.map((document) => ({
    ...shown(collection, document),
    deletedAt: expect.any(Number) as number,
  }));
  expect(await fixture.call('searchDocuments', { collection, deleted: true })).toEqual(trash.sort(byKeyThenId));
  for (const { key, lang, revisions: kept } of deleted) {
    const { revisions, deletedAt } = await fixture.call('listRevisions', { collection, key, lang });
    expect(revisions).toEqual(
      kept.map(({ text, ...revision }) => ({ ...revision, contentMd: text, meta: metaOf(text) })),
    );
    expect(deletedAt).toBeTypeOf('number');
  }
  const distinct = [...new Set(documents.map(({ text }) => text))].sort();
  expect((await fixture.call('listMetaKeys', { collection })).meta['text'] ?? []).toEqual(distinct);
  const { documentCount } = await fixture.call('getChecksum', { collection });
  expect(documentCount).toBe(documents.length);
}

function shown(collection: string, { key, lang, text, addedAt, updatedAt, expiresAt }: ModelDocument) {
  const document = {
    id: `${collection}|${idOf(key, lang)}`,
    key,
    lang,
    contentMd: text,
    meta: metaOf(text),
    addedAt,
    updatedAt,
  };
  return expiresAt === undefined ? document : { ...document, expiresAt };
}

function byKeyThenId(a: { key: string; id: string }, b: { key: string; id: string }): number {
  return Buffer.compare(Buffer.from(`${a.key}\0${a.id}`), Buffer.from(`${b.key}\0${b.id}`));
}
