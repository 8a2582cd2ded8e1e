import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SearchLogsResponse } from '../../../generated/runs/sdk/types.gen.ts';
import { encodeCursor } from '../pages/index.ts';
import { list } from '../queue/list.ts';
import type { Queue, RunRef } from '../queue/port.ts';
import { type RunRow, toRecord } from '../queue/run-rows.ts';
import { createLogSearch } from './search.ts';
import { line, LogFixture, SHIP, START } from './test-fixture.ts';

let fixture: LogFixture;
beforeEach(async () => {
  fixture = await LogFixture.open();
});
afterEach(() => fixture.close());

async function runWith(messages: readonly string[], project = 'alpha'): Promise<RunRef> {
  fixture.clock.time += 1000;
  const ref = await fixture.newRun();
  await fixture.sql.transaction((tx) => tx.run('UPDATE runs SET project_id = ? WHERE id = ?', [project, ref.runId]));
  let seq = 0;
  while (seq < messages.length)
    ({ nextSeq: seq } = await fixture.logs.append(ref, SHIP, seq, messages.slice(seq).map((text) => line(text))));
  return ref;
}

async function search(q: string, more: object = {}, now?: () => number): Promise<SearchLogsResponse> {
  const queue: Pick<Queue, 'get' | 'list'> = {
    async get(id) {
      const row = await fixture.sql.get<RunRow>('SELECT * FROM runs WHERE id = ?', [id]);
      return row && toRecord(row);
    },
    list: (...args) => list(fixture.sql, ...args),
  };
  const { searchLogs } = createLogSearch({ sql: fixture.sql, queue, ...(now && { now }) });
  return (searchLogs as (input: object, context: object) => Promise<SearchLogsResponse>)({ q, limit: 50, ...more }, {});
}
const messages = ({ data }: SearchLogsResponse) => data.map(({ message }) => message);

it('finds lines with all words, in upper or lower case, of the newest runs first', async () => {
  const old = await runWith(['Connection "refused" by a\\b', 'refused', 'nothing']);
  await runWith(['none']);
  const young = await runWith(['CONNECTION Refused twice', 'größer: connection REFUSED']);
  const found = await search('refused connection');
  expect(found.data.map(({ run_id: id, offset, message }) => [id, offset, message])).toEqual([
    [young.runId, 0, 'CONNECTION Refused twice'],
    [young.runId, 1, 'größer: connection REFUSED'],
    [old.runId, 0, 'Connection "refused" by a\\b'],
  ]);
  expect(found.data[0]).toMatchObject({
    project_id: 'alpha',
    task: 'build',
    attempt: 1,
    stream: 'stdout',
    step: 'test',
  });
  expect([found.next_cursor, found.searched_until]).toEqual([null, START / 1000 + 1]);
  expect(messages(await search('"refused" a\\b'))).toEqual(['Connection "refused" by a\\b']);
  expect(messages(await search('GRÖSSER'))).toEqual([]);
  expect(messages(await search('GRÖẞER'))).toHaveLength(1);
  expect(messages(await search('stdout'))).toEqual([]);
});

it('only searches runs of a project, in a state, of a time', async () => {
  const first = await runWith(['word 1']);
  await runWith(['word 2'], 'beta');
  const third = await runWith(['word 3']);
  await fixture.end(third, 'failed');
  const seconds = START / 1000;
  expect(messages(await search('word', { project_id: 'alpha' }))).toEqual(['word 3', 'word 1']);
  expect(messages(await search('word', { state: 'failed' }))).toEqual(['word 3']);
  expect(messages(await search('word', { since: seconds + 2, until: seconds + 3 }))).toEqual(['word 2']);
  // A cursor that names a run of another project leads to none of its lines.
  const forged = encodeCursor({ at: seconds + 1, id: `${first.runId}-1-0` });
  expect(messages(await search('word', { project_id: 'beta', before: forged }))).toEqual([]);
  await expect(search('word', { before: 'MToxOjE' })).rejects.toMatchObject({ code: 'invalid_cursor' });
});

it('returns each line once over its pages, and goes on in the middle of a log', async () => {
  const many = Array.from({ length: 350 }, (_, i) => (i % 3 === 0 ? `match ${i}` : `other ${i}`));
  await runWith(many.slice(0, 120));
  await runWith(many);
  const wanted = [...many, ...many.slice(0, 120)].filter((text) => text.startsWith('match'));
  const found: string[] = [];
  let before: string | null = null;
  do {
    const page: SearchLogsResponse = await search('match', { limit: 40, ...(before !== null && { before }) });
    found.push(...messages(page));
    before = page.next_cursor;
  } while (before !== null);
  expect(found).toEqual(wanted);
});

it('stops when its time is over, and goes on by the cursor, also in runs without logs', async () => {
  for (let i = 0; i < 3; i++) await runWith(Array.from({ length: 250 }, (_, at) => `line ${at} of ${i}`));
  for (let i = 0; i < 120; i++) await fixture.newRun();
  let time = 0;
  const found: string[] = [];
  let before: string | null = null;
  let pages = 0;
  do {
    // Each look at the clock takes longer than a request may.
    const page: SearchLogsResponse = await search('249', before === null ? {} : { before }, () => (time += 3000));
    found.push(...messages(page));
    before = page.next_cursor;
    pages += 1;
  } while (before !== null && pages < 100);
  expect(found).toEqual(['line 249 of 2', 'line 249 of 1', 'line 249 of 0']);
  expect(pages).toBeGreaterThan(5);
  expect(pages).toBeLessThan(30);
});

it('passes over logs that have expired and chunks that are damaged, and cuts long lines around the word', async () => {
  const damaged = await runWith(Array.from({ length: 100 }, (_, i) => `word ${i}`));
  const expired = await runWith(['word of old']);
  await runWith([`${'x'.repeat(9000)} word ${'y'.repeat(3000)}`]);
  await fixture.sql.transaction(async (tx) => {
    await tx.run('UPDATE log_attempts SET phase = 1 WHERE run_id = ?', [expired.runId]);
    await tx.run('UPDATE log_chunks SET body = ? WHERE run_id = ?', [Buffer.from('junk'), damaged.runId]);
  });
  const { data } = await search('word');
  expect(data).toHaveLength(1);
  expect(data[0]!.message).toHaveLength(2000);
  expect(data[0]!.message).toContain(' word ');
});
