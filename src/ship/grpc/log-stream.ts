import { type Client, type ClientDuplexStream, Metadata, type StatusObject } from '@grpc/grpc-js';
import { Fleet, type StreamLogsRequest,
  type StreamLogsResponse } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { refKey, RefusedCall } from '../link.ts';
import { definitionOf } from './open-client.ts';

/** If a message is not answered within this time, the stream is given up. */
const DEADLINE_MS = 20_000;
/** Time between two checks of that. */
const CHECK_MS = 1000;

/** Most messages, and characters of their lines, that are sent as one. */
const JOINED = 256;
const JOINED_CHARACTERS = 512 * 1024;

type Appended = Pick<StreamLogsResponse, 'status' | 'nextSeq'>;

interface Sent {
  readonly resolve: (response: Appended) => void;
  readonly reject: (error: unknown) => void;
  /** By the monotonic clock, in milliseconds. */
  readonly sentAt: number;
}

/** One stream with the log lines of all runs of a ship. */
export class LogStream {
  readonly #call: ClientDuplexStream<StreamLogsRequest, StreamLogsResponse>;
  /** Unanswered messages by attempt, in the order of sending. */
  readonly #sent = new Map<string, Sent[]>();
  readonly #checks: NodeJS.Timeout;
  /** Messages of this turn of the event loop. */
  #waiting: StreamLogsRequest[] = [];
  #isOver = false;

  /** `onOver`: called once, when nothing can be sent any more. */
  constructor(client: Client, onOver: () => void) {
    const { path, requestSerialize, responseDeserialize } = definitionOf(Fleet.method.streamLogs);
    this.#call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new Metadata());
    this.#checks = setInterval(() => this.#checkDeadline(), CHECK_MS).unref();
    this.#call.on('data', (response: StreamLogsResponse) => {
      this.#take(response);
      for (const each of response.more) this.#take(each);
    });
    this.#call.on('error', () => undefined);
    // Emitted once, however the stream ended.
    this.#call.on('status', (end: StatusObject) => {
      this.#isOver = true;
      clearInterval(this.#checks);
      onOver();
      const error = Object.assign(new Error(end.details || 'the stream of lines has ended'), end);
      for (const { reject } of [...this.#sent.values()].flat()) reject(error);
      this.#sent.clear();
    });
  }

  /** Rejects with a `RefusedCall` or with an error that has the status of the stream. */
  append(request: StreamLogsRequest): Promise<Appended> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(new Error('the stream of lines has ended'));
      const key = refKey(request.ref!);
      const sent = this.#sent.get(key) ?? [];
      this.#sent.set(key, sent);
      sent.push({ resolve, reject, sentAt: performance.now() });
      this.#waiting.push(request);
      if (this.#waiting.length === 1) setImmediate(() => this.#send());
    });
  }

  cancel(): void {
    this.#call.cancel();
  }

  /** Messages of many runs that write a line now and then are sent as one, which costs a fraction of separate ones. */
  #send(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    if (this.#isOver) return;
    for (const together of joined(messages)) this.#call.write(together);
  }

  #checkDeadline(): void {
    const late = performance.now() - DEADLINE_MS;
    for (const [oldest] of this.#sent.values()) if (oldest !== undefined && oldest.sentAt < late) return this.cancel();
  }

  #take({ ref, answered, status: taken, nextSeq, refused }: StreamLogsResponse): void {
    const key = ref === undefined ? '' : refKey(ref);
    const sent = this.#sent.get(key) ?? [];
    for (const { resolve, reject } of sent.splice(0, answered)) {
      if (refused === '') resolve({ status: taken, nextSeq });
      else reject(new RefusedCall(refused));
    }
    if (sent.length === 0) this.#sent.delete(key);
  }
}

/** Each returned message brings along those that follow it, as far as they fit. */
function* joined(messages: readonly StreamLogsRequest[]): Generator<StreamLogsRequest> {
  let [first, characters]: [StreamLogsRequest | undefined, number] = [undefined, 0];
  for (const message of messages) {
    const own = message.lines.reduce((sum, { message: text }) => sum + text.length, 0);
    if (first !== undefined && first.more.length < JOINED && characters + own <= JOINED_CHARACTERS) {
      first.more.push(message);
      characters += own;
      continue;
    }
    if (first !== undefined) yield first;
    [first, characters] = [message, own];
  }
  if (first !== undefined) yield first;
}
