import { create } from '@bufbuild/protobuf';
import { Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppendStatus, Fleet, type RunRef, StreamLogsRequestSchema,
  type StreamLogsResponse } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { RemoteLink } from '../../ship/grpc/index.ts';
import { definitionOf, openClient } from '../../ship/grpc/open-client.ts';
import { RefusedCall } from '../../ship/link.ts';
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
    link = new RemoteLink({
      address: { host: host!, port: Number(port) },
      credentials: ship.identity,
      onTrustBundle: () => undefined,
      provesRevocation: () => false,
    });
  });
  afterEach(async () => {
    link.close();
    await fixture.stop();
  });

  const append = (ref: RunRef, firstSeq: number, count = 1) =>
    link.appendLogs(create(StreamLogsRequestSchema, {
      ref,
      firstSeq: BigInt(firstSeq),
      lines: Array.from({ length: count }, (_, i) => ({ unixMs: 0n, level: 1, message: `line ${firstSeq + i}` })),
    }));

  /** Resolves when the server has received this many messages. */
  function allArrived(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { service } = fixture.fleet;
    const streamLogs = service.streamLogs.bind(service);
    let received = 0;
    vi.spyOn(service, 'streamLogs').mockImplementation((...args) => {
      const stream = streamLogs(...args);
      return {
        receive: (request) => {
          if (++received === count) resolve();
          return stream.receive(request);
        },
      };
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
    for (const { runId } of refs)
      expect((await fixture.lines(runId)).filter((line) => line.startsWith('line'))).toEqual(
        Array.from({ length: 98 }, (_, n) => `line ${n}`),
      );
    expect(commits).toBeLessThan(10);
    expect(await append(refs[0]!, 50)).toMatchObject({ status: AppendStatus.STORED, nextSeq: 100n });
    expect(await append(refs[0]!, 102)).toMatchObject({ status: AppendStatus.GAP, nextSeq: 100n });
  });

  it('refuses one message and takes the others', async () => {
    const [refused, taken, fenced] = await Promise.allSettled([append(refs[0]!, 0, 501), append(refs[1]!, 0),
      append({ ...refs[1]!, fencingToken: 77n }, 0)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(RefusedCall) });
    expect(taken).toMatchObject({ value: { status: AppendStatus.STORED } });
    expect(fenced).toMatchObject({ value: { status: AppendStatus.APPEND_FENCED } });
    expect(fixture.fenced).toEqual(['AppendLogs']);
    expect(await append(refs[0]!, 0)).toMatchObject({ status: AppendStatus.STORED, nextSeq: 1n });
  });

  it('takes several messages as one, and answers them together', async () => {
    const [host, port] = fixture.addresses.fleet().split(':');
    const client = openClient({ host: host!, port: Number(port) }, fixture.ships[0]!.identity);
    const { path, requestSerialize, responseDeserialize } = definitionOf(Fleet.method.streamLogs);
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new Metadata());
    call.on('error', () => undefined);
    const message = (ref: RunRef, seq: number) =>
      create(StreamLogsRequestSchema, { ref, firstSeq: BigInt(seq), lines: [{ level: 1, message: `line ${seq}` }] });
    const answers: StreamLogsResponse[] = [];
    const all = new Promise<void>((resolve) =>
      call.on('data', (response: StreamLogsResponse) => {
        answers.push(response, ...response.more);
        if (answers.reduce((sum, { answered }) => sum + answered, 0) === 4) resolve();
      })
    );
    const first = message(refs[0]!, 0);
    first.more = [message(refs[1]!, 0), message(refs[0]!, 1), message(refs[0]!, 7)];
    call.write(first);
    await all;
    const ofFirst = answers.filter(({ ref }) => ref!.runId === refs[0]!.runId);
    expect(ofFirst.at(-1)).toMatchObject({ status: AppendStatus.GAP, nextSeq: 2n, more: [] });
    expect(answers.find(({ ref }) => ref!.runId === refs[1]!.runId)).toMatchObject({
      status: AppendStatus.STORED,
      nextSeq: 1n,
    });
    expect((await fixture.lines(refs[0]!.runId)).filter((line) => line.startsWith('line'))).toEqual(['line 0',
      'line 1']);
    call.cancel();
    client.close();
  });

  it('ends when the server stops, and its messages can be sent again', async () => {
    await append(refs[0]!, 0);
    const stopped = fixture.listeners!.stop(60_000);
    await fixture.fleet.stop();
    await stopped;
    await expect(append(refs[0]!, 1)).rejects.toThrow();
  });
});
