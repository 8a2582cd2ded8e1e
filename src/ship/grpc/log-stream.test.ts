import { create } from '@bufbuild/protobuf';
import { type Client, status } from '@grpc/grpc-js';
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { AppendStatus, LogLineSchema, type RunRef, RunRefSchema, type StreamLogsRequest, StreamLogsRequestSchema,
  StreamLogsResponseSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { RefusedCall } from '../link.ts';
import { LogStream } from './log-stream.ts';

class FakeCall extends EventEmitter {
  readonly written: StreamLogsRequest[] = [];

  write(message: StreamLogsRequest): void {
    this.written.push(message);
  }

  cancel(): void {
    this.emit('status', { code: status.CANCELLED, details: 'cancelled' });
  }
}

function open(): { stream: LogStream; call: FakeCall } {
  const call = new FakeCall();
  return { call, stream: new LogStream({ makeBidiStreamRequest: () => call } as unknown as Client, () => undefined) };
}

const refOf = (n: number): RunRef => create(RunRefSchema, { runId: `run-${n}`, attempt: 1, fencingToken: 1n });
const append = (stream: LogStream, n: number, message = 'a line') =>
  stream.append(create(StreamLogsRequestSchema, { ref: refOf(n), lines: [create(LogLineSchema, { message })] }));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const runsOf = ({ written }: FakeCall): string[][] =>
  written.map((message) => [message, ...message.more].map(({ ref }) => ref!.runId));

it('sends the messages of one moment as one, and reads joined responses', async () => {
  const { stream, call } = open();
  const appended = Promise.allSettled([append(stream, 1), append(stream, 2), append(stream, 1), append(stream, 3)]);
  await turn();
  expect(runsOf(call)).toEqual([['run-1', 'run-2', 'run-1', 'run-3']]);
  const stored = (n: number, answered: number, nextSeq: bigint) =>
    create(StreamLogsResponseSchema, { ref: refOf(n), answered, status: AppendStatus.STORED, nextSeq });
  call.emit('data', create(StreamLogsResponseSchema, {
    ...stored(1, 2, 2n),
    more: [stored(2, 1, 1n), create(StreamLogsResponseSchema, { ref: refOf(3), answered: 1, refused: 'too long' })],
  }));
  expect(await appended).toMatchObject([{ value: { nextSeq: 2n } }, { value: { nextSeq: 1n } }, {
    value: { nextSeq: 2n },
  }, { reason: expect.any(RefusedCall) }]);
  stream.cancel();
});

it('does not join more than fits in a message', async () => {
  const { stream, call } = open();
  const ended = Promise.allSettled([...Array.from({ length: 300 }, (_, n) => append(stream, n)),
    append(stream, 300, 'x'.repeat(400_000)), append(stream, 301, 'x'.repeat(400_000))]);
  await turn();
  expect(runsOf(call).map(({ length }) => length)).toEqual([257, 44, 1]);
  stream.cancel();
  await ended;
});
