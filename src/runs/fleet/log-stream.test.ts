import { create } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppendLogsRequestSchema, AppendStatus, type RunRef } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { RefusedCall } from '../../ship/link.ts';
import { RemoteLink } from '../../ship/grpc/index.ts';
import { FleetFixture } from '../../testkit/runs-fleet.ts';

describe('a stream of lines', () => {
  let fixture: FleetFixture;
  let link: RemoteLink;
  let refs: RunRef[];

  beforeEach(async () => {
    fixture = await FleetFixture.start();
    const { ship, stream } = await fixture.connected('build-01');
    await fixture.submit();
    await fixture.submit();
    refs = [(await stream.take()).ref, (await stream.take()).ref];
    const [host, port] = fixture.addresses.fleet().split(':');
    link = new RemoteLink({ address: { host: host!, port: Number(port) }, credentials: ship.identity, onTrustBundle: () => undefined, provesRevocation: () => false });
  });
  afterEach(async () => {
    link.close();
    await fixture.stop();
  });

  const append = (ref: RunRef, firstSeq: number, count = 1) => link.appendLogs(create(AppendLogsRequestSchema, {
    ref, firstSeq: BigInt(firstSeq), lines: Array.from({ length: count }, (_, i) => ({ unixMs: 0n, level: 1, message: `line ${firstSeq + i}` })),
  }));

  /** Resolves when the server has received this many messages. */
  function allArrived(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { service } = fixture.fleet;
    const streamLogs = service.streamLogs.bind(service);
    let received = 0;
    vi.spyOn(service, 'streamLogs').mockImplementation((...args) => {
      const stream = streamLogs(...args);
      return { receive: (request) => {
        if (++received === count) resolve();
        return stream.receive(request);
      } };
    });
    return promise;
  }

  it('stores what is under way at once together, in order, each line once', async () => {
    const arrived = allArrived(200);
    let commits = 0;
    const { transaction } = fixture.sql;
    fixture.sql.transaction = async (...args: Parameters<typeof transaction>) => {
      commits += 1;
      await arrived;
      return transaction.apply(fixture.sql, args) as never;
    };
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => append(refs[n % 2]!, Math.floor(n / 2))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([AppendStatus.STORED]));
    expect(answers.slice(-2).map(({ nextSeq }) => nextSeq)).toEqual([100n, 100n]);
    for (const { runId } of refs) expect((await fixture.lines(runId)).filter((line) => line.startsWith('line'))).toEqual(Array.from({ length: 98 }, (_, n) => `line ${n}`));
    expect(commits).toBeLessThan(10);
    expect(await append(refs[0]!, 50)).toMatchObject({ status: AppendStatus.STORED, nextSeq: 100n });
    expect(await append(refs[0]!, 102)).toMatchObject({ status: AppendStatus.GAP, nextSeq: 100n });
  });

  it('refuses one message and takes the others', async () => {
    const [refused, taken, fenced] = await Promise.allSettled([append(refs[0]!, 0, 501), append(refs[1]!, 0), append({ ...refs[1]!, fencingToken: 77n }, 0)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(RefusedCall) });
    expect(taken).toMatchObject({ value: { status: AppendStatus.STORED } });
    expect(fenced).toMatchObject({ value: { status: AppendStatus.APPEND_FENCED } });
    expect(fixture.fenced).toEqual(['AppendLogs']);
    expect(await append(refs[0]!, 0)).toMatchObject({ status: AppendStatus.STORED, nextSeq: 1n });
  });

  it('ends when the server stops, and its messages can be sent again', async () => {
    await append(refs[0]!, 0);
    const stopped = fixture.listeners!.stop(60_000);
    await fixture.fleet.stop();
    await stopped;
    await expect(append(refs[0]!, 1)).rejects.toThrow();
  });
});
