import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CurationRule } from '../../../generated/docs/sdk/types.gen.ts';
import { DRIVERS, Fixture, START } from '../documents/test-fixture.ts';
import { createCuration, type Curation } from './index.ts';

describe.each(DRIVERS)('curation rules over %s (contract section 4)', (driver) => {
  let fixture: Fixture;
  let curation: Curation;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    curation = createCuration(fixture.environment);
    await curation.load();
    fixture.use(curation.handlers);
  });
  afterEach(() => fixture.close());

  const create = (more: object = {}) =>
    fixture.call('createCurationRule', { collection: 'Blog', query: 'getting started', ...more });
  const update = (id: string, more: object = {}) =>
    fixture.call('updateCurationRule', { id, collection: 'Blog', query: 'changed', ...more });
  const remove = (query: object) => fixture.call('deleteCurationRule', query);
  const list = (query: object = {}) =>
    fixture.call('listCurationRules', query) as Promise<{ rules: CurationRule[]; total: number; collection?: string }>;
  const one = (query: object) => fixture.call('listCurationRules', query) as Promise<CurationRule>;
  const feed = async () => (await fixture.changes()).map(({ kind, collection }) => `${kind} ${collection}`);

  it('are stored with their defaults: exact, and not enabled', async () => {
    const rule = await create();
    expect(rule).toEqual({
      id: expect.stringMatching(/^cur_[0-9a-f]{24}$/) as string,
      collection: 'Blog',
      query: 'getting started',
      matchMode: 'exact',
      pins: [],
      hides: [],
      enabled: false,
      ignoreFilters: false,
      createdAt: START,
      updatedAt: START,
    });
    expect(await one({ id: rule.id })).toEqual(rule);
    expect(await feed()).toEqual(['curation.put blog']);
  });

  it('keep all fields, a pin without position at the end, the query without needless space', async () => {
    const pins = [{ key: 'hello-world', lang: 'en', position: 1 }, { key: 'more' }, { key: 'last', position: -5 }];
    const rule = await create({
      query: ' Getting \n started ',
      matchMode: 'contains',
      pins,
      hides: ['old', 'older'],
      enabled: true,
      ignoreFilters: true,
    });
    expect(rule).toMatchObject({
      query: 'Getting started',
      matchMode: 'contains',
      hides: ['old', 'older'],
      enabled: true,
      ignoreFilters: true,
      pins: [{ key: 'hello-world', lang: 'en', position: 1 }, { key: 'more', position: 0 }, {
        key: 'last',
        position: -5,
      }],
    });
    expect(curation.rulesOf('bLOG')).toEqual([rule]);
  });

  it('are replaced whole; createdAt and their place stay', async () => {
    const first = await create({ hides: ['a'], enabled: true });
    const second = await create();
    fixture.advance(300);
    const changed = await update(first.id, { pins: [{ key: 'x', position: 2 }] });
    expect(changed).toEqual({
      id: first.id,
      collection: 'Blog',
      query: 'changed',
      matchMode: 'exact',
      pins: [{ key: 'x', position: 2 }],
      hides: [],
      enabled: false,
      ignoreFilters: false,
      createdAt: START,
      updatedAt: START + 300,
    });
    expect((await list()).rules).toEqual([changed, second]);
    await expect(update('cur_none')).rejects.toMatchObject({ code: 'not_found', message: 'not found' });
  });

  it('move between collections', async () => {
    const rule = await create();
    await update(rule.id, { collection: 'wiki' });
    expect(curation.rulesOf('blog')).toEqual([]);
    expect(curation.rulesOf('wiki')).toHaveLength(1);
  });

  it('are listed by creation, of one collection or all', async () => {
    const ids = [];
    for (const collection of ['b', 'a', 'B']) ids.push((await create({ collection })).id);
    expect(await list()).toMatchObject({ rules: ids.map((id) => ({ id })), total: 3 });
    expect(await list()).not.toHaveProperty('collection');
    expect(await list({ collection: 'b' })).toMatchObject({
      rules: [{ id: ids[0] }, { id: ids[2] }],
      total: 2,
      collection: 'b',
    });
    expect(await list({ collection: 'none' })).toEqual({ rules: [], total: 0, collection: 'none' });
    expect(await one({ id: ids[0], collection: 'B' })).toMatchObject({ id: ids[0] });
    for (const absent of [{ id: 'cur_none' }, { id: ids[0], collection: 'a' }])
      await expect(list(absent)).rejects.toMatchObject({ status: 404 });
  });

  it('are removed, by name of their collection or without', async () => {
    const [first, second] = [await create(), await create()];
    await expect(remove({ id: first.id, collection: 'wiki' })).rejects.toMatchObject({ status: 404 });
    expect(await remove({ id: first.id, collection: 'blog' })).toEqual({ status: 'deleted', id: first.id });
    expect(await remove({ id: second.id })).toEqual({ status: 'deleted', id: second.id });
    await expect(remove({ id: second.id })).rejects.toMatchObject({ status: 404 });
    expect(curation.rulesOf('blog')).toEqual([]);
    expect(await fixture.count('curation_rules')).toBe(0);
    expect(await feed()).toEqual(['curation.put blog', 'curation.put blog', 'curation.delete blog',
      'curation.delete blog']);
  });

  it('survive a restart, in order, and the deletion of their collection (decision D-74)', async () => {
    const rules = [await create({ enabled: true }), await create()];
    await fixture.call('addDocument', { collection: 'blog', key: 'a', lang: 'en', contentMd: '' });
    await fixture.call('deleteCollection', { collection: 'blog' });
    const later = createCuration(fixture.environment);
    await later.load();
    expect(later.rulesOf('blog')).toEqual(rules);
  });

  it('refuse a blank query, unknown modes, bad keys, and the rule after the thousandth', async () => {
    for (const wrong of [{ query: ' \t' }, { query: '' }, { matchMode: 'fuzzy' }, { pins: [{ key: 'a|b' }] }, {
      pins: [{}],
    }, { hides: [''] }, { collection: '_memory' }]) {
      await expect(create(wrong)).rejects.toMatchObject({ status: 400 });
    }
    await fixture.sql.transaction((tx) =>
      tx.runMany(
        'INSERT INTO curation_rules(id, collection, query, match_mode, enabled, created_at, updated_at, pins, ' +
          "hides) VALUES (?, 'blog', 'q', 'exact', 0, 0, 0, '[]', '[]')",
        Array.from({ length: 1000 }, (_, i) => [`cur_${i}`]),
      )
    );
    await expect(create()).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'at most 1000 curation rules are kept',
    });
    expect(await update('cur_7')).toMatchObject({ id: 'cur_7' });
  });
});
