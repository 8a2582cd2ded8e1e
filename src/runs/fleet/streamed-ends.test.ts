import { create } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Completed, CompleteRunRequestSchema, CompleteStatus, Outcome, type RunRef,
  ShipMessageSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { RemoteLink } from '../../ship/grpc/index.ts';
import { type ControlStream, RefusedCall } from '../../ship/link.ts';
import { eventually, FleetFixture, type TestShip, type TestStream } from '../../testkit/runs-fleet.ts';

let fixture: FleetFixture;

const state = async ({ runId }: RunRef): Promise<string> => (await fixture.queue.get(runId))!.state;

/** Counts the calls from now on, and new streams: a server identifies the peer of each. */
function countCalls(): { count: number } {
  const calls = { count: 0 };
  const service = fixture.fleet.service as { peerOf: FleetFixture['fleet']['service']['peerOf'] };
  const { peerOf } = service;
  service.peerOf = (serial) => {
    calls.count += 1;
    return peerOf(serial);
  };
  return calls;
}

describe('ends of runs on the control stream', () => {
  let stream: TestStream;

  beforeEach(async () => {
    fixture = await FleetFixture.start();
    ({ stream } = await fixture.connected('build-01'));
  });
  afterEach(() => fixture.stop());

  async function taken(): Promise<RunRef> {
    await fixture.submit();
    return (await stream.take()).ref;
  }

  function complete(ref: RunRef, change: object = {}): Promise<Completed> {
    stream.send({
      case: 'complete',
      value: create(CompleteRunRequestSchema, { ref, outcome: Outcome.SUCCEEDED, started: true, ...change }),
    });
    return stream.next('completed');
  }

  it('are recorded once: RECORDED, then ALREADY_RECORDED, and FENCED for another outcome (scenario 12)', async () => {
    const ref = await taken();
    expect(await complete(ref)).toMatchObject({ ref: { runId: ref.runId }, status: CompleteStatus.RECORDED });
    expect((await complete(ref)).status).toBe(CompleteStatus.ALREADY_RECORDED);
    expect((await complete(ref, { outcome: Outcome.FAILED })).status).toBe(CompleteStatus.COMPLETE_FENCED);
    expect(await state(ref)).toBe('succeeded');
    expect(fixture.fenced).toEqual(['CompleteRun']);
    expect(stream.count('abandon')).toBe(0);
  });

  it('are recorded after the acceptance, although nobody waits for that, and free the slot', async () => {
    const refs = await Promise.all(Array.from({ length: 4 }, () => taken()));
    const waiting = await Promise.all(Array.from({ length: 4 }, () => fixture.submit()));
    for (const ref of refs)
      stream.send({
        case: 'complete',
        value: create(CompleteRunRequestSchema, { ref, outcome: Outcome.SUCCEEDED, started: true }),
      });
    const next = await Promise.all(Array.from({ length: 4 }, () => stream.next('assignment')));
    expect(new Set(next.map(({ ref }) => ref!.runId))).toEqual(new Set(waiting.map(({ id }) => id)));
    expect(await Promise.all(refs.map(state))).toEqual(Array(4).fill('succeeded'));
  });

  it('are refused with the field when they are none', async () => {
    const ref = await taken();
    expect(await complete(ref, { outcome: 99 })).toMatchObject({
      status: CompleteStatus.COMPLETE_UNSPECIFIED,
      refused: expect.stringMatching(/^outcome/),
    });
    expect(await complete(ref, { resultType: 'plain\ntext' })).toMatchObject({
      refused: expect.stringMatching(/^result_type/),
    });
    expect(await state(ref)).toBe('running');
  });

  it('are to be sent again when the store fails, and say nothing of the failure', async () => {
    const ref = await taken();
    await eventually(async () =>
      (await fixture.sql.get<{ accepted: number }>('SELECT accepted FROM runs WHERE id = ?', [ref.runId]))!.accepted ===
        1
    );
    const { transaction } = fixture.sql;
    (fixture.sql as { transaction: unknown }).transaction = () => Promise.reject(new Error('a secret of the server'));
    expect(await complete(ref)).toMatchObject({ status: CompleteStatus.COMPLETE_UNSPECIFIED, refused: '' });
    expect(await complete(ref)).toMatchObject({ refused: '' });
    (fixture.sql as { transaction: unknown }).transaction = transaction;
    expect((await complete(ref)).status).toBe(CompleteStatus.RECORDED);
    expect(fixture.logged.filter((line) => line.includes('could not be recorded'))).toHaveLength(1);
  });

  it('are not taken from a ship whose certificate has expired', async () => {
    const ref = await taken();
    fixture.now += 365 * 86_400_000;
    stream.send({
      case: 'complete',
      value: create(CompleteRunRequestSchema, { ref, outcome: Outcome.SUCCEEDED, started: true }),
    });
    expect((await stream.ended).details).toContain('has expired');
    expect(await state(ref)).toBe('running');
  });
});

describe('the link of a ship', () => {
  let ship: TestShip;
  let link: RemoteLink;
  let refs: RunRef[];
  let control: ControlStream;
  let welcomes: number;

  beforeEach(async () => {
    fixture = await FleetFixture.start();
    ship = await fixture.ship('build-01');
    const [host, port] = fixture.addresses.fleet().split(':');
    link = new RemoteLink({
      address: { host: host!, port: Number(port) },
      credentials: ship.identity,
      onTrustBundle: () => undefined,
      provesRevocation: () => false,
    });
    [refs, welcomes] = [[], 0];
    for (let n = 0; n < 2; n++) await fixture.submit();
    connect();
    await eventually(() => refs.length === 2);
  });
  afterEach(async () => {
    link.close();
    await fixture.stop();
  });

  function connect(held: readonly RunRef[] = []): void {
    control = link.connect({
      message: ({ body }) => {
        if (body.case === 'welcome') welcomes += 1;
        if (body.case !== 'assignment') return;
        refs.push(body.value.ref!);
        control.send(create(ShipMessageSchema, { body: { case: 'accept', value: { ref: body.value.ref! } } }));
      },
      ended: () => undefined,
    });
    control.send(create(ShipMessageSchema, {
      body: {
        case: 'hello',
        value: { sessionId: ship.sessionId, info: ship.info, held: held.map((ref) => ({ ref })) },
      },
    }));
  }

  const complete = (ref: RunRef, outcome = Outcome.SUCCEEDED) =>
    link.completeRun(create(CompleteRunRequestSchema, { ref, outcome, started: true }));

  it('sends ends on the control stream', async () => {
    const calls = countCalls();
    expect((await complete(refs[0]!)).status).toBe(CompleteStatus.RECORDED);
    await expect(complete(refs[1]!, 99 as Outcome)).rejects.toThrow(RefusedCall);
    expect(calls.count).toBe(0);
  });

  it('sends one end once, however often it is asked to while it is under way', async () => {
    const answers = await Promise.all([complete(refs[0]!), complete(refs[0]!), complete(refs[1]!)]);
    expect(answers.map(({ status }) => status)).toEqual(Array(3).fill(CompleteStatus.RECORDED));
  });

  it('has no answer when the stream ends, and the repetition on the next stream has no effect twice', async () => {
    const lost = complete(refs[0]!);
    control.close();
    await expect(lost).rejects.toThrow('the control stream has ended');
    await expect(complete(refs[0]!)).rejects.toThrow('the ship is not connected');
    connect([...refs]);
    await eventually(() => welcomes === 2);
    expect([CompleteStatus.RECORDED, CompleteStatus.ALREADY_RECORDED]).toContain((await complete(refs[0]!)).status);
    expect((await complete(refs[0]!)).status).toBe(CompleteStatus.ALREADY_RECORDED);
    expect((await complete(refs[1]!)).status).toBe(CompleteStatus.RECORDED);
    expect(await Promise.all(refs.map(state))).toEqual(['succeeded', 'succeeded']);
  });
});
