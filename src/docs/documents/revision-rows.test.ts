import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { BodyCodec, deltaHead } from '../../storage/index.ts';
import { DRIVERS, Fixture } from './test-fixture.ts';

interface Listed {
  readonly revisions: readonly { readonly revision: number; readonly contentMd: string }[];
}

const name = { collection: 'c', key: 'k', lang: 'en' };

/** A text that cannot be compressed; each version changes a little of it. */
const TEXT = randomBytes(6000).toString('base64');
const version = (i: number): string => `${TEXT.slice(0, 100 * (i % 50))}<change ${i}>${TEXT.slice(100 * (i % 50))}`;

describe.each(DRIVERS)('revisions stored as deltas over %s (extreme mode)', (driver) => {
  let fixture: Fixture;
  afterEach(() => fixture.close());

  const add = (contentMd: string, more: object = {}) => fixture.call('addDocument', { ...name, contentMd, ...more });
  const listed = async (): Promise<string[]> =>
    ((await fixture.call('listRevisions', name)) as Listed).revisions.map(({ contentMd }) => contentMd);
  /** Stored bodies of revisions, newest first; undefined for a revision whose body is the document's. */
  const stored = async () =>
    (await fixture.sql.all<{ body: Uint8Array | null }>('SELECT body FROM revisions ORDER BY ts DESC')).map((
      { body },
    ) => body ?? undefined);

  it('take little room, in chains that are bounded, and read as they were written', async () => {
    fixture = await Fixture.open(driver, { deltaRevisions: true });
    for (let i = 0; i < 40; i++) await add(version(i));
    const heads = (await stored()).slice(1).map((body) => deltaHead(body!));
    expect(heads.filter((head) => head === undefined).length).toBe(2);
    expect(Math.max(...heads.map((head) => head?.run ?? 0))).toBe(16);
    const bytes = (await stored()).reduce((sum, body) => sum + (body?.length ?? 0), 0);
    expect(bytes).toBeLessThan(5 * TEXT.length);
    expect(await listed()).toEqual(Array.from({ length: 40 }, (_, i) => version(39 - i)));
  });

  it('are not made of bodies that have nothing in common, and nothing rests on a version that is not kept', async () => {
    fixture = await Fixture.open(driver, { deltaRevisions: true });
    const other = randomBytes(6000).toString('base64');
    await add(TEXT);
    await add(other);
    await add(version(1), { saveRevision: false });
    await add(version(2));
    await add(version(3));
    expect((await stored()).map((body) => body && deltaHead(body) !== undefined)).toEqual([undefined, true, false,
      false]);
    expect(await listed()).toEqual([version(3), version(2), other, TEXT]);
  });

  it('that are damaged, or whose base is missing, are an error and never another text', async () => {
    fixture = await Fixture.open(driver, { deltaRevisions: true });
    for (let i = 0; i < 4; i++) await add(version(i));
    await fixture.sql.transaction(async (tx) =>
      void (await tx.run('DELETE FROM revisions WHERE ts = (SELECT ts FROM revisions ORDER BY ts LIMIT 1 OFFSET 1)'))
    );
    await expect(fixture.call('listRevisions', name)).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('which is missing') as string,
    });
    const codec = new BodyCodec();
    await fixture.sql.transaction(async (tx) =>
      void (await tx.run('UPDATE revisions SET body = ? WHERE ts = (SELECT max(ts) FROM revisions) - 1', [
        await codec.encode('another body'),
      ]))
    );
    await expect(fixture.call('listRevisions', name)).rejects.toMatchObject({ code: 'internal' });
  });

  it('read as they were written, whatever is written, trimmed and restored, in either mode', { timeout: 60_000 },
    async () => {
      const action = fc.oneof({
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('add' as const),
          text: fc.integer({ min: 0, max: 60 }).map(version),
          saveRevision: fc.integer({ max: 5, min: 0 }).map((n) => n > 0),
        }),
      }, { weight: 2, arbitrary: fc.record({ do: fc.constant('meta' as const), value: fc.string({ maxLength: 3 }) }) },
        {
          weight: 1,
          arbitrary: fc.record({ do: fc.constant('truncate' as const), keepRevs: fc.integer({ min: 1, max: 12 }) }),
        }, { weight: 1, arbitrary: fc.record({ do: fc.constant('restore' as const), at: fc.nat() }) }, {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('switch' as const) }),
      });
      fixture = await Fixture.open(driver);
      await fc.assert(fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        await fixture.close();
        fixture = await Fixture.open(driver, { deltaRevisions: true });
        /** Oldest first. */
        let model: string[] = [];
        let current = '';
        for (const step of [{ do: 'add' as const, text: version(0), saveRevision: true }, ...actions]) {
          if (step.do === 'add') {
            await add(step.text, { saveRevision: step.saveRevision });
            current = step.text;
            if (step.saveRevision) model.push(current);
          } else if (step.do === 'meta') {
            await fixture.call('updateDocument', { ...name, meta: { a: [step.value] } });
            model.push(current);
          } else if (step.do === 'truncate') {
            await fixture.call('truncateRevisions', { collection: 'c', keepRevs: step.keepRevs });
            model = model.slice(-step.keepRevs);
          } else if (step.do === 'restore') {
            const { revisions } = (await fixture.call('listRevisions', name)) as Listed;
            const chosen = revisions[step.at % revisions.length]!;
            await fixture.call('restoreRevision', { ...name, revision: chosen.revision });
            current = chosen.contentMd;
            model.push(current);
          } else {
            fixture.switchDeltas();
          }
        }
        expect(await listed()).toEqual([...model].reverse());
      }), { numRuns: 12 });
    });
});
