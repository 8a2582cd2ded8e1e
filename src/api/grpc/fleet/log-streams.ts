import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { StreamLogsRequest, StreamLogsResponse } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type Log, RepeatedFailure } from '../../../lib/log.ts';
import { FleetRefusal, type FleetService } from '../../../runs/fleet/port.ts';
import { peerOf, statusOf } from './call.ts';

/** Messages of a stream that are stored at once; from this number on, no more are read. */
const MOST_AT_ONCE = 256;
/** Most messages that one may bring along. */
const MOST_JOINED = 256;

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
    let [working, isPaused, isEnding, isOver] = [0, false, false, false];
    const responses = new PackedResponses(call);
    const over = (): void => {
      responses.flush();
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
      if (!isOver) responses.add(response);
    });
    const done = (): void => {
      working -= 1;
      if (isPaused && working < MOST_AT_ONCE) {
        isPaused = false;
        call.resume();
      }
      if (isEnding) end();
    };
    const succeeded = (): void => {
      this.#failure.over();
      done();
    };
    const failed = (error: unknown): void => {
      fail(error);
      done();
    };
    const receive = (request: StreamLogsRequest): void => {
      working += 1;
      stream.receive(request).then(succeeded, failed);
    };
    this.#ends.add(end);
    call.on('cancelled', () => {
      isOver = true;
      this.#ends.delete(end);
    });
    call.on('end', end);
    call.on('data', (request: StreamLogsRequest) => {
      const { more } = request;
      if (more.length > MOST_JOINED)
        return fail(
          new FleetRefusal('invalid_argument', `more must have at most ${MOST_JOINED} messages, got ${more.length}`),
        );
      receive(request);
      for (const each of more) receive(each);
      if (working < MOST_AT_ONCE || isPaused) return;
      isPaused = true;
      call.pause();
    });
  };
}

/** Responses of one turn of the event loop are sent as one message, which costs a fraction of separate ones. */
class PackedResponses {
  readonly #call: LogCall;
  #waiting: StreamLogsResponse[] = [];

  constructor(call: LogCall) {
    this.#call = call;
  }

  add(response: StreamLogsResponse): void {
    this.#waiting.push(response);
    if (this.#waiting.length === 1) setImmediate(() => this.flush());
  }

  flush(): void {
    const [first, ...more] = this.#waiting;
    this.#waiting = [];
    if (first === undefined) return;
    first.more = more;
    this.#call.write(first);
  }
}
