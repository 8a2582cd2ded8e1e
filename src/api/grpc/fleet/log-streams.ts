import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { StreamLogsRequest, StreamLogsResponse } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Log } from '../../../lib/log.ts';
import { RepeatedFailure } from '../../../lib/repeated-failure.ts';
import type { FleetService } from '../../../runs/fleet/port.ts';
import { peerOf } from './peer.ts';
import { statusOf } from './status.ts';

/** Messages of a stream that are stored at once; at this number, no more are read. */
const MOST_AT_ONCE = 256;

type LogCall = ServerDuplexStream<StreamLogsRequest, StreamLogsResponse>;

/** Serves streams of log lines. They have no end of their own, so they are ended when the server stops. */
export class LogStreams {
  readonly #service: FleetService;
  readonly #failure: RepeatedFailure;
  readonly #ends = new Set<() => void>();

  constructor(service: FleetService, log: Log) {
    this.#service = service;
    this.#failure = new RepeatedFailure(log.child({ rpc: 'StreamLogs' }), 'a call of a ship failed', 'error');
  }

  /** Ends all streams; each ends once everything that it has sent is acknowledged. */
  stop(): void {
    for (const end of this.#ends) end();
  }

  readonly handle = (call: LogCall): void => {
    let [working, isEnding, isOver] = [0, false, false];
    const over = (): void => {
      isOver = true;
      this.#ends.delete(end);
    };
    const end = (): void => {
      isEnding = true;
      if (working > 0 || isOver) return;
      over();
      call.end();
    };
    const fail = (error: unknown): void => {
      if (isOver) return;
      over();
      call.emit('error', statusOf(error, this.#failure));
    };
    const stream = this.#service.streamLogs(() => peerOf(call, this.#service), (response) => {
      if (!isOver) call.write(response);
    });
    this.#ends.add(end);
    call.on('cancelled', over);
    call.on('end', end);
    call.on('data', (request: StreamLogsRequest) => {
      if (++working === MOST_AT_ONCE) call.pause();
      void stream.receive(request).then(() => this.#failure.over(), fail).then(() => {
        if (working-- === MOST_AT_ONCE) call.resume();
        if (isEnding) end();
      });
    });
  };
}
