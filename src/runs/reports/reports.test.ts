// Test reports over a real connection of a ship: received, listed, remembered over runs, and removed.
import { create } from '@bufbuild/protobuf';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Outcome, type RunRef, type UploadArtifactRequest, UploadArtifactRequestSchema,
  UploadArtifactStatus } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { ListProjectTestsResponse, ListRunTestsResponse,
  ListTestHistoryResponse } from '../../../generated/runs/sdk/types.gen.ts';
import { EVERYONE } from '../../operations/index.ts';
import { FleetFixture, type TestShip, type TestStream } from '../../testkit/runs-fleet.ts';
import type { NewRun } from '../queue/port.ts';
import { placesOf } from './places.ts';

const LIMITS = 'reports: {max_size: 300KiB, max_results: 450, max_count: 3, retention: 2d}';

let fixture: FleetFixture;
let ship: TestShip;
let stream: TestStream;

beforeEach(async () => {
  fixture = await FleetFixture.start({ fleet: LIMITS });
  ({ ship, stream } = await fixture.connected('build-01'));
});
afterEach(() => fixture.stop());

async function taken(run: Partial<NewRun> = {}, commit?: string): Promise<RunRef> {
  await fixture.submit({ projectId: 'alpha', ...run });
  const { ref } = await stream.take();
  if (commit !== undefined)
    await fixture.queue.recordSource({ ...ref, fence: Number(ref.fencingToken) }, ship.id, { gitRef: 'main', commit });
  return ref;
}

async function* partsOf(ref: RunRef, name: string, content: Buffer,
  announced: object): AsyncGenerator<UploadArtifactRequest>
{
  const value = {
    ref,
    name,
    step: 'test',
    size: BigInt(content.length),
    sha256: createHash('sha256').update(content).digest(),
    reportFormat: 'junit',
    ...announced,
  };
  yield create(UploadArtifactRequestSchema, { body: { case: 'description', value } });
  for (let at = 0; at < content.length; at += 100_000)
    yield create(UploadArtifactRequestSchema, { body: { case: 'chunk', value: content.subarray(at, at + 100_000) } });
}

const never = new AbortController().signal;
const send = (ref: RunRef, content: string, name = 'junit.xml', announced: object = {}) =>
  fixture.linkOf(ship).uploadArtifact(partsOf(ref, name, Buffer.from(content), announced), never);

const xml = (...tests: readonly [name: string, failed?: boolean, seconds?: number][]): string =>
  `<testsuite name="s">${
    tests.map(([name, failed, seconds = 0]) =>
      `<testcase classname="c" name="${name}" time="${seconds}">${failed ? '<failure message="no"/>' : ''}</testcase>`
    ).join('')
  }</testsuite>`;

type Handlers = FleetFixture['reports']['handlers'];
async function call<T>(operation: keyof Handlers, input: object): Promise<T> {
  const handler = fixture.reports.handlers[operation] as (input: object, context: object) => Promise<T>;
  return handler({ q: '', limit: 50, flaky: false, sort: 'failing', ...input }, { identity: EVERYONE });
}
const ofRun = (ref: RunRef, input: object = {}) =>
  call<ListRunTestsResponse>('listRunTests', { id: ref.runId, ...input });
const ofProject = async (input: object = {}) =>
  (await call<ListProjectTestsResponse>('listProjectTests', { id: 'alpha', ...input })).data;

const end = (ref: RunRef) => ship.complete(ref, Outcome.FAILED, { error: { code: 'step_failed', message: 'x' } });

describe('the results of a run', () => {
  it('are listed with failures first, in pages, with totals and the slowest', async () => {
    const ref = await taken();
    const sent = await send(ref, xml(['a', false, 2], ['b', true, 1], ['c', false, 3]));
    expect(sent).toMatchObject({ status: UploadArtifactStatus.KEPT });
    const first = await ofRun(ref, { limit: 2 });
    expect(first.data.map(({ name, state }) => [name, state])).toEqual([['b', 'failed'], ['a', 'passed']]);
    expect(first.totals).toEqual({
      total: 3,
      passed: 2,
      failed: 1,
      error: 0,
      warning: 0,
      skipped: 0,
      flaky: 0,
      duration_ms: 6000,
    });
    expect(first.slowest.map(({ name, duration_ms }) => [name, duration_ms])).toEqual([['c', 3000], ['a', 2000], ['b',
      1000]]);
    expect(first.reports).toMatchObject([{ name: 'junit.xml', step: 'test', format: 'junit', results: 3 }]);
    const second = await ofRun(ref, { limit: 2, before: first.next_cursor! });
    expect([second.data.map(({ name }) => name), second.next_cursor, second.totals]).toEqual([['c'], null, null]);
  });

  it('are filtered by state and by words', async () => {
    const ref = await taken();
    await send(ref, xml(['Adds 100%_'], ['removes', true], ['adds none', true]));
    const names = async (input: object) => (await ofRun(ref, input)).data.map(({ name }) => name);
    expect(await names({ state: 'failed' })).toEqual(['removes', 'adds none']);
    expect(await names({ q: 'ADDS 100%_' })).toEqual(['Adds 100%_']);
    expect(await names({ q: 'c adds', state: 'failed' })).toEqual(['adds none']);
    expect(await names({ q: '10%%' })).toEqual([]);
  });

  it('that failed at a line of a file of the repository are places for a check', async () => {
    const ref = await taken();
    const at = (name: string, file: string, line: number | '', body = '<failure message="no"/>'): string =>
      `<testcase name="${name}" file="${file}" ${line === '' ? '' : `line="${line}"`}>${body}</testcase>`;
    await send(ref,
      `<testsuite name="s">${at('a', './src/a.ts', 7)}${at('b', 'src/b.ts', '')}${at('c', '/etc/c', 1)}${
        at('d', '../d', 1)
      }${at('e', 'src/e.ts', 1, '')}</testsuite>`);
    await end(ref);
    expect(await placesOf(fixture.sql, fixture.queue, ref.runId)).toEqual([{
      path: 'src/a.ts',
      line: 7,
      level: 'failure',
      title: 'a',
      message: 'no',
    }]);
  });

  it('are stored once, however often a report comes, and hundreds of them in several transactions', async () => {
    const ref = await taken();
    const many = xml(...Array.from({ length: 230 }, (_, i): [string] => [`test ${i}`]));
    await Promise.all([send(ref, many), send(ref, many)]);
    await send(ref, many);
    expect((await ofRun(ref)).totals).toMatchObject({ total: 230 });
    expect((await ofProject({ limit: 100 }))[0]).toMatchObject({ results: 1 });
  });

  it.each([['is too large', 'x'.repeat(400_000), {}, /300KiB are read \(reports.max_size\)/], [
    'cannot be read',
    '<html/>',
    {},
    /^it is no JUnit report/,
  ], ['has too many results', xml(...Array.from({ length: 460 }, (_, i): [string] => [`${i}`])), {},
    /^10 of its results are left out/]])('a report that %s is refused with the reason',
      async (_, text, more, message) => {
        const ref = await taken();
        const answer = await send(ref, text, 'r.xml', more);
        expect([answer.status, answer.message]).toEqual([UploadArtifactStatus.OVER_LIMIT,
          expect.stringMatching(message) as string]);
      });

  it('are of at most so many reports, and of none of an unknown format', async () => {
    const ref = await taken();
    for (const name of ['a', 'b', 'c'])
      expect((await send(ref, xml([name]), name)).status).toBe(UploadArtifactStatus.KEPT);
    expect((await send(ref, xml(['d']), 'd')).message).toMatch(/3 reports already/);
    await expect(send(ref, '{}', 'e', { reportFormat: 'html' })).rejects.toThrow(/report_format must be one of/);
  });

  it('are refused of a ship that no longer holds the run', async () => {
    const ref = await taken();
    await end(ref);
    expect((await send(ref, xml(['a']))).status).toBe(UploadArtifactStatus.UPLOAD_ARTIFACT_FENCED);
    expect(await ofRun(ref)).toMatchObject({ data: [], totals: { total: 0 }, reports: [] });
    expect(fixture.fenced).toContain('UploadArtifact');
  });
});

describe('the tests of a project', () => {
  it('know their pass rate, their last failure and their mean duration, the worst first', async () => {
    const runs: RunRef[] = [];
    for (const failed of [false, true, false, false]) {
      const ref = await taken({}, `${runs.length}`.repeat(40));
      await send(ref, xml(['steady', false, 1], ['often', failed, 2]));
      await end(ref);
      runs.push(ref);
    }
    const tests = await ofProject();
    expect(tests).toMatchObject([{
      name: 'often',
      results: 4,
      pass_rate: 0.75,
      mean_duration_ms: 2000,
      last_state: 'passed',
      failed_run_id: runs[1]!.runId,
      flaky: false,
    }, { name: 'steady', pass_rate: 1, failed_run_id: null, flaky_at: null }]);
    expect((await ofProject({ sort: 'slowest', limit: 1 }))[0]!.name).toBe('often');
    const history = await call<ListTestHistoryResponse>('listTestHistory', {
      id: 'alpha',
      test: tests[0]!.id,
      limit: 3,
    });
    expect(history.data.map(({ state, commit }) => [state, commit![0]])).toEqual([['passed', '3'], ['passed', '2'], [
      'failed',
      '1',
    ]]);
    const rest = await call<ListTestHistoryResponse>('listTestHistory', {
      id: 'alpha',
      test: tests[0]!.id,
      before: history.next_cursor!,
    });
    expect([rest.data.map(({ run_id: id }) => id), rest.next_cursor]).toEqual([[runs[0]!.runId], null]);
  });

  it('are flaky when they pass and fail for the same commit, and not for another one', async () => {
    for (const [commit, failed] of [['a', true], ['b', false]] as const) {
      const ref = await taken({}, commit.repeat(40));
      await send(ref, xml(['works again', failed], ['flips', failed], ['steady']));
      await end(ref);
    }
    expect(await ofProject({ flaky: true })).toEqual([]);
    const again = await taken({}, 'b'.repeat(40));
    await send(again, xml(['flips', true], ['steady']));
    await end(again);
    expect((await ofProject({ flaky: true })).map(({ name, flaky }) => [name, flaky])).toEqual([['flips', true]]);
    fixture.now += 31 * 86_400_000;
    expect((await ofProject()).map(({ flaky }) => flaky)).toEqual([false, false, false]);
  });

  it('are others in another step, pipeline or project', async () => {
    const ref = await taken();
    await send(ref, xml(['a']), 'one.xml');
    await send(ref, xml(['a', true]), 'two.xml', { step: 'again' });
    expect((await ofProject()).map(({ step, pass_rate: rate }) => [step, rate])).toEqual([['again', 0], ['test', 1]]);
    await expect(call('listProjectTests', { id: 'nobody' })).rejects.toMatchObject({ code: 'project_not_found' });
  });
});

it('results are removed when they are old, and with their run', async () => {
  const ref = await taken();
  await send(ref, xml(...Array.from({ length: 250 }, (_, i): [string] => [`${i}`])));
  await end(ref);
  fixture.now += 3 * 86_400_000;
  fixture.reports.start();
  await vi.waitFor(async () => expect(await fixture.sql.all('SELECT id FROM tests')).toEqual([]));
  await fixture.reports.stop();
  expect([(await ofRun(ref)).data, await ofProject()]).toEqual([[], []]);
});
