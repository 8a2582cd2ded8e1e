import fc from 'fast-check';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SegmentBuilder } from '../../../search/inverted/index.ts';
import { createDocuments, type Preparation, type UpcomingDocument } from '../../documents/index.ts';
import { Fixture } from '../../documents/test-fixture.ts';
import { documentAnalyzers } from '../view/analyzers.ts';
import { CODE_CLASSES, PROSE_CLASSES } from '../view/document-classes.ts';
import { createFullTextView, type FullTextView } from '../view/fulltext-view.ts';
import { invertedIndexes } from '../view/inverted-text-index.ts';
import type { TextIndex, TextIndexes } from '../view/text-index.ts';
import { toIndexed } from '../view/to-indexed.ts';
import { makeSegments } from './make-segments.ts';
import { preparingSegments, SegmentMaker } from './segments.ts';

const analyzerOf = documentAnalyzers({ stemming: true, defaultLang: 'en' });

describe('documents of a batch, tokenized in a thread', () => {
  let fixture: Fixture;
  let view: FullTextView;
  /** How documents came to the index: `put`, or the size of a segment. */
  let ways: (number | 'put')[];
  beforeEach(async () => {
    fixture = await Fixture.open('sql.js');
    ways = [];
    view = createFullTextView(fixture.environment, { indexes: noted(ways), analyzerOf });
    await view.start();
  });
  afterEach(async () => {
    await view.stop();
    await fixture.close();
  });

  const fieldNames = (collection: string): readonly string[] => view.indexOf(collection)?.fieldNames ?? [];
  const inThisThread = {
    make: async (names: readonly string[], documents: readonly UpcomingDocument[]) =>
      makeSegments(new SegmentBuilder('debug'), names, documents),
  };
  const use = (preparation: Preparation): void => {
    const { collections, columns, schemas } = fixture;
    fixture.use(createDocuments(fixture.environment, { collections, columns, schemas, preparation }).handlers);
  };
  const add = async (documents: readonly object[]) => {
    const result = await fixture.call('addDocuments', { collection: 'Blog', documents });
    await view.caughtUp();
    return result;
  };
  const documentsOf = (count: number, contentMd: (i: number) => string = (i) => `fox number${i}`) =>
    Array.from({ length: count },
      (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: contentMd(i), meta: { author: ['Ann'] } }));
  const total = (form: string): number =>
    view.indexOf('blog')!.search({
      readings: [{
        classes: PROSE_CLASSES | CODE_CLASSES,
        root: { kind: 'term', form, start: 0, end: 0 },
        analyzer: analyzerOf('en'),
      }],
      algorithm: 'tfidf',
      limit: 0,
    }).total;

  it('are added as segments, and found as soon as the write is acknowledged', async () => {
    const maker = new SegmentMaker();
    use(preparingSegments({ fieldNames, maker, processors: 2 }));
    await add(documentsOf(260));
    expect(ways).toEqual([125, 125, 10]);
    expect(['fox', 'foxes', 'number7', 'ann', 'number260'].map(total)).toEqual([260, 260, 1, 260, 0]);
    await add(documentsOf(20, () => 'dog'));
    expect(['fox', 'dog', 'ann'].map(total)).toEqual([240, 20, 260]);
  });

  it('are tokenized by the index when the thread dies, and in the next thread afterwards', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-segments-'));
    try {
      const file = join(folder, 'thread.mjs');
      await writeFile(file,
        'import { parentPort } from "node:worker_threads"; parentPort.on("message", () => process.exit(1));');
      const maker = new SegmentMaker(pathToFileURL(file));
      use(preparingSegments({ fieldNames, maker, processors: 2 }));
      await add(documentsOf(20));
      expect([ways, total('fox')]).toEqual([Array(20).fill('put'), 20]);
      await writeFile(file,
        'import { parentPort } from "node:worker_threads"; parentPort.on("message", ({ id }) => ' +
          'parentPort.postMessage({ id, error: "no" }));');
      await add(documentsOf(20, () => 'dog'));
      expect(['fox', 'dog'].map(total)).toEqual([0, 20]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('are tokenized by the index if they are few, or there is one processor', async () => {
    const maker = { make: () => Promise.reject(new Error('not expected')) };
    use(preparingSegments({ fieldNames, maker, processors: 1 }));
    await add(documentsOf(20));
    let asked = 0;
    use(preparingSegments({
      fieldNames,
      maker: {
        make: async () => {
          asked++;
          return [];
        },
      },
      processors: 2,
    }));
    await add(documentsOf(3, () => 'dog'));
    expect([asked, total('dog')]).toEqual([0, 3]);
  });

  it('are tokenized by the index if they are long, and the others beside them are not', async () => {
    use(preparingSegments({ fieldNames, maker: inThisThread, processors: 2 }));
    await add(documentsOf(30, (i) => (i === 0 || i === 7 || i === 8 ? 'dog '.repeat(10_000) : 'dog')));
    expect([ways, total('dog')]).toEqual([[6, 21, 'put', 'put', 'put'], 30]);
  });

  it('are tokenized by the index if not all of a segment were written', async () => {
    use(preparingSegments({ fieldNames, maker: inThisThread, processors: 2 }));
    const documents = [...documentsOf(20), { key: 'k3', lang: 'en', contentMd: 'dog' }, {
      key: 'bad|key',
      lang: 'en',
      contentMd: 'dog',
    }];
    expect(await add(documents)).toMatchObject({ added: 20, updated: 1, failed: 1 });
    expect(['fox', 'dog'].map(total)).toEqual([19, 1]);
    expect(ways).not.toContain(21);
  });

  it('are tokenized by the index if other documents have used the numbers of their fields', async () => {
    use(preparingSegments({ fieldNames: () => [], maker: inThisThread, processors: 2 }));
    await add([{ key: 'first', lang: 'en', contentMd: 'dog', meta: { status: ['x'] } }]);
    await add(documentsOf(20));
    expect([ways, total('fox'), total('ann')]).toEqual([Array(21).fill('put'), 20, 20]);
  });

  it('are added to the index that serves and to the one that is being built', async () => {
    use(preparingSegments({ fieldNames, maker: inThisThread, processors: 2 }));
    await add(documentsOf(200));
    const building = view.reindex(['blog'], new AbortController().signal);
    await add(documentsOf(200, () => 'dog'));
    await building;
    expect(['fox', 'dog'].map(total)).toEqual([0, 200]);
    expect(view.indexOf('blog')!.documents).toBe(200);
  });

  it('are searched as if the index had tokenized them', async () => {
    const text = fc.array(
      fc.constantFrom('# Title\n', 'foxes', 'naïve', "don't", '3.14', 'ไทยคำ', 'e\u0301', 'ﬁsh', 'a-b_c', '\n## Part\n',
        'the'),
      { maxLength: 12 },
    ).map((words) => words.join(' '));
    const document = fc.record({
      key: fc.constantFrom('a/index.md', 'b.md', 'c.js', 'd'),
      lang: fc.constantFrom('en', 'de', 'th', 'xx'),
      contentMd: text,
      meta: fc.dictionary(fc.constantFrom('title', 'tags', 'author', 'x y'), fc.array(text, { maxLength: 2 }), {
        noNullPrototype: true,
      }),
    });
    await fc.assert(fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 12 }), async (documents) => {
      const indexes = [invertedIndexes({ build: 'debug' }).create(),
        invertedIndexes({ build: 'debug' }).create()] as const;
      documents.forEach((each, ord) => void finish(indexes[0].put(toIndexed({ ...each, ord }, analyzerOf(each.lang)))));
      let ord = 0;
      for (const segment of makeSegments(new SegmentBuilder('debug'), [], documents)) {
        if (typeof segment === 'number') throw new Error('a segment was expected');
        const ords = Array.from({ length: segment.documents }, () => ord++);
        finish(indexes[1].putSegment(ords, segment, documents.map(({ lang }) => analyzerOf(lang))));
      }
      expect(savedOf(indexes[1])).toEqual(savedOf(indexes[0]));
    }), { numRuns: 40 });
  });
});

/** Words with their documents, classes and field names: all that a search reads, except for positions. */
function savedOf(index: TextIndex) {
  return {
    documents: index.documents,
    classes: index.documentsByClass(),
    names: index.fieldNames,
    words: index.words(0, 100_000).words,
  };
}

function finish(steps: (() => boolean) | undefined): void {
  while (steps?.() === true);
}

/** Indexes that note how documents come to them. */
function noted(ways: (number | 'put')[]): TextIndexes {
  const indexes = invertedIndexes({ build: 'debug' });
  return {
    ...indexes,
    create() {
      const index = indexes.create();
      const [put, putSegment] = [index.put.bind(index), index.putSegment.bind(index)];
      index.put = (document) => {
        ways.push('put');
        return put(document);
      };
      index.putSegment = (ords, segment, analyzers) => {
        const steps = putSegment(ords, segment, analyzers);
        if (steps !== undefined) ways.push(ords.length);
        return steps;
      };
      return index;
    },
  };
}
