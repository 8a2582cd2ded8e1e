import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DOCUMENT_MIGRATIONS } from '../storage/index.ts';
import { type DocsServer, startDocsServer } from '../testkit/docs-server.ts';
import { recordedFormats, unpackRecording } from '../testkit/formats/recording.ts';
import { FIRST_BODY, FOX, SECOND_BODY, SETTINGS } from '../testkit/formats/story.ts';

const formats = await recordedFormats('documents');

describe('what an earlier version stored', () => {
  let folder: string;
  let server: DocsServer;
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  async function open(format: number): Promise<void> {
    folder = await mkdtemp(join(tmpdir(), 'quire-format-'));
    await unpackRecording('documents', format, folder);
    server = await startDocsServer({ env: { ...SETTINGS, SVC_PATH: join(folder, 'quire.db') } });
  }

  async function ask(path: string, body?: object): Promise<unknown> {
    const response = await fetch(server.url + path,
      body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    const answer = await response.json() as unknown;
    expect(response.status, `${path}: ${JSON.stringify(answer)}`).toBe(200);
    return answer;
  }

  const keysFound = async (path: string, body: object): Promise<unknown> =>
    ((await ask(path, { collection: 'notes', ...body })) as { results: { document: { key: string } }[] }).results.map((
      { document },
    ) => document.key).sort();

  it.each(formats)('in format %i is there', async (format) => {
    await open(format);
    expect(await ask('/v1/get', FOX)).toMatchObject({
      contentMd: SECOND_BODY,
      meta: { category: ['news', 'animals'] },
    });
    expect(await ask('/v1/revisions', FOX)).toMatchObject({
      revisions: [{ contentMd: SECOND_BODY }, { contentMd: FIRST_BODY }],
    });
    expect(await keysFound('/v1/fts', { query: 'fox', filterMeta: { category: ['animals'] } })).toEqual(['fox']);
    expect(await keysFound('/v1/fts', { query: 'Hund', langs: ['de'] })).toEqual(['hund']);
    expect(await ask('/v1/schema/get', { collection: 'strict' })).toMatchObject({ schema: { required: ['category'] } });
    expect(await keysFound('/v1/fts', { query: 'vixen' })).toEqual(['fox']);
    expect(await ask('/v1/memory/sessions', { userId: 'ada' })).toMatchObject({ sessions: [{ userId: 'ada' }] });
    expect(await ask('/v1/get', { collection: 'secrets', key: 'plan', lang: 'en' })).toMatchObject({
      contentMd: 'Meet at the old lighthouse.',
      meta: { level: ['high'] },
    });
    expect(await ask('/v1/revisions', { ...FOX, key: 'gone' })).toMatchObject({
      revisions: [{ contentMd: 'This one is deleted.' }],
    });
    expect(await ask('/v1/webhooks')).toMatchObject([{ collection: 'nowhere' }]);
    expect(await keysFound('/v1/geo-search', { lat: 52.52, lng: 13.405, radiusMeters: 5000 })).toEqual(['berlin']);
    expect(await ask('/v1/automation')).toMatchObject({ rules: [{ name: 'Somewhere' }] });
  });
});

it('the format of this version is recorded; if not: node src/testkit/formats/record.ts', () => {
  expect(formats.at(-1)).toBe(DOCUMENT_MIGRATIONS.length);
});
