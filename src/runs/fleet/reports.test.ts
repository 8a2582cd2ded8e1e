import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppendStatus, CompleteStatus, Fleet as FleetProtocol, Outcome,
  type RunRef } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { FleetFixture, type TestShip, type TestStream } from '../../testkit/runs-fleet.ts';
import type { NewRun } from '../queue/port.ts';

let fixture: FleetFixture;
let ship: TestShip;
let stream: TestStream;

beforeEach(async () => {
  fixture = await FleetFixture.start();
  ({ ship, stream } = await fixture.connected('build-01'));
});
afterEach(() => fixture.stop());

async function taken(run: Partial<NewRun> = {}): Promise<RunRef> {
  await fixture.submit(run);
  return (await stream.take()).ref;
}

const shipLines = async (ref: RunRef): Promise<string[]> =>
  (await fixture.lines(ref.runId, ref.attempt)).filter((line) => /^\d+$/.test(line));

describe('lines of a log (decisions, section 4, "Sequencing")', () => {
  it('are stored in order, and those that are sent twice once (scenario 13)', async () => {
    const ref = await taken();
    expect(await ship.append(ref, 0, ['0', '1', '2'])).toMatchObject({ status: AppendStatus.STORED, nextSeq: 3n });
    expect(await ship.append(ref, 1, ['1', '2', '3', '4'])).toMatchObject({ status: AppendStatus.STORED, nextSeq: 5n });
    expect(await ship.append(ref, 0, ['0'])).toMatchObject({ status: AppendStatus.STORED, nextSeq: 5n });
    expect(await shipLines(ref)).toEqual(['0', '1', '2', '3', '4']);
  });

  it('behind a gap are refused, with the line that is wanted (scenario 14)', async () => {
    const ref = await taken();
    await ship.append(ref, 0, ['0']);
    expect(await ship.append(ref, 2, ['2'])).toMatchObject({ status: AppendStatus.GAP, nextSeq: 1n });
    expect(await shipLines(ref)).toEqual(['0']);
  });

  it("of a run that is another's are fenced", async () => {
    const ref = await taken();
    const second = await fixture.connected('build-02');
    expect((await second.ship.append(ref, 0, ['0'])).status).toBe(AppendStatus.APPEND_FENCED);
    expect((await ship.append({ ...ref, fencingToken: ref.fencingToken - 1n }, 0, ['0'])).status).toBe(
      AppendStatus.APPEND_FENCED,
    );
    expect((await ship.append({ ...ref, attempt: 2 }, 0, ['0'])).status).toBe(AppendStatus.APPEND_FENCED);
    expect(fixture.fenced).toEqual(['AppendLogs', 'AppendLogs', 'AppendLogs']);
    expect(await shipLines(ref)).toEqual([]);
  });

  it('are 500 at most, and no message has more than 4 MiB', async () => {
    const ref = await taken();
    await expect(ship.append(ref, 0, Array.from({ length: 501 }, () => 'x'))).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    await expect(ship.append(ref, 0, ['x'.repeat(5 << 20)])).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    await expect(ship.append(ref, 0, Array.from({ length: 500 }, (_, n) => `${n}`))).resolves.toMatchObject({
      status: AppendStatus.STORED,
      nextSeq: 500n,
    });
  });

  it("have times within the run, whatever the ship's clock says, set right by its heartbeats (scenario 22)", async () => {
    const ref = await taken();
    const hour = 3_600_000;
    const started = Math.floor(fixture.now / 1000) * 1000;
    for (const wrong of [hour, -hour]) {
      for (let n = 0; n < 8; n++) stream.heartbeat([], 3, { unixMs: BigInt(fixture.now + wrong) });
      while ((await stream.next('ack')).seq % 8n !== 0n);
      const first = Number((await ship.append(ref, 0, [])).nextSeq);
      fixture.now += 30_000;
      await ship.append(ref, first, ['7'], fixture.now + wrong - 10_000);
    }
    const { data } =
      await (fixture.logHandlers.listRunLogs as (input: object,
        context: object) => Promise<{ data: { message: string; time: string }[] }>)({ id: ref.runId, offset: 0 }, {});
    const times = data.filter(({ message }) => message === '7').map(({ time }) => Date.parse(time) - started);
    expect(times.map((time) => Math.round(time / 10_000))).toEqual([2, 5]);
  });
});

describe('the end of an attempt', () => {
  it('is recorded once: RECORDED, then ALREADY_RECORDED, and FENCED for another outcome (scenario 12)', async () => {
    const ref = await taken();
    expect((await ship.complete(ref, Outcome.SUCCEEDED)).status).toBe(CompleteStatus.RECORDED);
    expect((await ship.complete(ref, Outcome.SUCCEEDED)).status).toBe(CompleteStatus.ALREADY_RECORDED);
    expect((await ship.complete(ref, Outcome.FAILED)).status).toBe(CompleteStatus.COMPLETE_FENCED);
    expect((await fixture.queue.get(ref.runId))!.state).toBe('succeeded');
  });

  it('keeps the result and its type, or what went wrong', async () => {
    const good = await taken();
    await ship.complete(good, Outcome.SUCCEEDED, {
      result: Buffer.from('{"a":1}'),
      resultType: 'application/json',
      summary: '# good\0',
    });
    expect(await fixture.queue.summary(good.runId)).toBe('# good');
    expect(await fixture.queue.result(good.runId)).toMatchObject({
      type: 'application/json',
      body: new Uint8Array(Buffer.from('{"a":1}')),
    });
    const bad = await taken();
    await ship.complete(bad, Outcome.FAILED, {
      error: { code: 'step_failed', message: 'x'.repeat(3000), step: 'test', exitCode: 3, signal: '' },
    });
    expect((await fixture.queue.get(bad.runId))!.error).toMatchObject({
      code: 'step_failed',
      step: 'test',
      exit_code: 3,
      signal: null,
      message: 'x'.repeat(2000),
    });
  });

  it('never names a code that is not one of work', async () => {
    for (const code of ['whatever', 'lease_lost', 'secret_unavailable']) { // the last two are the server's own
      const ref = await taken();
      await ship.complete(ref, Outcome.FAILED, { error: { code, message: 'm', step: '', signal: 'SIGKILL' } });
      expect((await fixture.queue.get(ref.runId))!.error).toMatchObject({
        code: 'internal',
        step: null,
        exit_code: null,
        signal: 'SIGKILL',
      });
    }
  });

  it('returns a run under its attempt when its first step had not begun', async () => {
    const ref = await taken();
    stream.heartbeat([], 0, { draining: true });
    await stream.next('ack');
    await ship.complete(ref, Outcome.RETURNED, { started: false });
    expect(await fixture.queue.get(ref.runId)).toMatchObject({ state: 'queued', attempt: 1 });
    expect(stream.count('abandon')).toBe(0);
  });

  it('logs how many lines were lost, once', async () => {
    const ref = await taken();
    await ship.append(ref, 0, ['0', '1']);
    await ship.complete(ref, Outcome.SUCCEEDED, { logSeqTotal: 5n });
    await ship.complete(ref, Outcome.SUCCEEDED, { logSeqTotal: 5n });
    expect((await fixture.lines(ref.runId)).filter((line) => line.includes('lost'))).toEqual([
      '3 lines of the log did not reach the service and are lost',
    ]);
    expect(fixture.linesLost).toBe(3);
    const whole = await taken();
    await ship.append(whole, 0, ['0', '1']);
    await ship.complete(whole, Outcome.SUCCEEDED, { logSeqTotal: 2n });
    expect((await fixture.lines(whole.runId)).filter((line) => line.includes('lost'))).toEqual([]);
  });

  it('waits for lines that are on their way', async () => {
    const ref = await taken();
    const sent = ship.append(ref, 0, ['0', '1', '2']);
    await Promise.all([sent, ship.complete(ref, Outcome.SUCCEEDED, { logSeqTotal: 3n })]);
    expect((await fixture.lines(ref.runId)).filter((line) => line.includes('lost'))).toEqual([]);
    expect(await shipLines(ref)).toEqual(['0', '1', '2']);
  });

  it('is refused with the field when it is not one', async () => {
    const ref = await taken();
    const refused: [object, RegExp][] = [[{ outcome: 0 }, /^outcome/], [{ outcome: 99 }, /^outcome/], [{
      outcome: 1,
      ref: undefined,
    }, /^ref/], [{ outcome: 1, ref: { ...ref, attempt: 0 } }, /^ref/], [{
      outcome: 1,
      ref: { ...ref, fencingToken: 2n ** 63n },
    }, /^ref/], [{ outcome: 1, result: new Uint8Array(1_048_577), resultType: 'text/plain' }, /^result/], [{
      outcome: 1,
      resultType: 'plain\ntext',
    }, /^result_type/], [{ outcome: 1, logSeqTotal: 2n ** 60n }, /^log_seq_total/], [{
      outcome: 1,
      summary: 'ä'.repeat(32_769),
    }, /^summary/]];
    for (const [change, message] of refused) {
      await expect(ship.call(FleetProtocol.method.completeRun, { ref, ...change })).rejects.toMatchObject({
        code: status.INVALID_ARGUMENT,
        details: expect.stringMatching(message),
      });
    }
    expect((await fixture.queue.get(ref.runId))!.state).toBe('running');
  });
});

describe('a store that fails', () => {
  it('returns UNAVAILABLE, and the report can be repeated', async () => {
    const ref = await taken();
    const { transaction } = fixture.sql;
    const { ServiceError } = await import('../../errors/index.ts');
    (fixture.sql as { transaction: unknown }).transaction = () =>
      Promise.reject(new ServiceError('unavailable', 'the disk is full'));
    await expect(ship.complete(ref, Outcome.SUCCEEDED)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    (fixture.sql as { transaction: unknown }).transaction = () => Promise.reject(new Error('a secret of the server'));
    await expect(ship.complete(ref, Outcome.SUCCEEDED)).rejects.toMatchObject({
      code: status.INTERNAL,
      details: 'internal error',
    });
    (fixture.sql as { transaction: unknown }).transaction = transaction;
    expect((await ship.complete(ref, Outcome.SUCCEEDED)).status).toBe(CompleteStatus.RECORDED);
  });
});
