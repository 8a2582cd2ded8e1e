import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderSource } from '../commands/import/read-folder.ts';
import type { SourceItem } from '../commands/import/source.ts';
import { findCorpus } from './corpus.ts';

let parent: string;
let root: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'quire-corpus-'));
  root = join(parent, 'checkout');
  await mkdir(root);
});

afterEach(() => rm(parent, { recursive: true }));

async function put(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, name), '');
}

describe('findCorpus', () => {
  it('takes the pages of the demo when no others are at hand', async () => {
    for (const named of [undefined, '', join(parent, 'missing')]) {
      expect(await findCorpus(root, named)).toMatchObject({
        collection: 'docs',
        sources: [join(root, 'src/app/demo/corpus/documents')],
      });
    }
  });

  it('takes the folder that is named', async () => {
    await put(join(parent, 'x'), ['mdn-en.ndjson.gz', 'mdn-i18n.ndjson.gz']);
    expect(await findCorpus(root, join(parent, 'x'))).toMatchObject({
      collection: 'mdn',
      sources: [join(parent, 'x', 'mdn-en.ndjson.gz')],
    });
  });

  it('finds a folder beside the checkout', async () => {
    const folder = join(parent, 'other', 'corpus', 'docs-mdn');
    await put(folder, ['mdn-en.ndjson.gz', 'mdn-en-more.ndjson.gz']);
    expect((await findCorpus(root, undefined)).sources).toEqual([join(folder, 'mdn-en.ndjson.gz'),
      join(folder, 'mdn-en-more.ndjson.gz')]);
  });
});

describe('the documents of the demo', () => {
  const own = join(import.meta.dirname, 'corpus');

  it('are all readable, with a title, a project and tags', async () => {
    const source = await folderSource(join(own, 'documents'), { lang: 'en' });
    const items: SourceItem[] = [];
    for await (const item of source.items(new AbortController().signal)) items.push(item);
    expect(items).toHaveLength(106);
    for (const item of items) {
      expect(item).toMatchObject({
        kind: 'document',
        sanitized: false,
        notes: [],
        document: { meta: { title: [expect.any(String)], license: ['MIT'] } },
      });
    }
  });

  it('have their number and licence in SOURCES.md', async () => {
    const sources = await readFile(join(own, 'SOURCES.md'), 'utf8');
    const rows = [...sources.matchAll(/^\| `documents\/(\w+)\/` \| .+? \| (\d+) \|.*`licences\/(\w+)\.txt`/gm)];
    expect(rows).toHaveLength(4);
    for (const [, project, pages, licence] of rows) {
      expect((await folderSource(join(own, 'documents', project!), { lang: 'en' })).total).toBe(Number(pages));
      expect(await readFile(join(own, 'licences', `${licence}.txt`), 'utf8')).toContain(
        'Permission is hereby granted, free of charge',
      );
    }
  });
});
