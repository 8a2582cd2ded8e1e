import { create } from '@bufbuild/protobuf';
import { Metadata, status, type Client, type ClientDuplexStream, type StatusObject } from '@grpc/grpc-js';
import { AppendLogsResponseSchema, Fleet, StreamLogsRequestSchema, type AppendLogsRequest, type AppendLogsResponse, type RunRef, type StreamLogsRequest, type StreamLogsResponse } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { RefusedCall } from '../link.ts';
import { refKey } from '../ref-key.ts';
import { definitionOf } from './definition-of.ts';

/** If a message is not answered within this time, the stream is given up. */
const DEADLINE_MS = 20_000;

interface Sent {
  readonly resolve: (response: AppendLogsResponse) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** The server's version does not support streams of log lines. */
export class NoLogStreams extends Error {}

/** One stream with the log lines of all runs of a ship. */
export class LogStream {
  readonly #call: ClientDuplexStream<StreamLogsRequest, StreamLogsResponse>;
  /** Unanswered messages by attempt, in the order of sending. */
  readonly #sent = new Map<string, Sent[]>();
  #isOver = false;

  /** `onOver`: called once, when nothing can be sent any more. */
  constructor(client: Client, onOver: () => void) {
    const { path, requestSerialize, responseDeserialize } = definitionOf(Fleet.method.streamLogs);
    this.#call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new Metadata());
    this.#call.on('data', (response: StreamLogsResponse) => this.#take(response));
    this.#call.on('error', () => undefined);
    // Emitted once, however the stream ended.
    this.#call.on('status', (end: StatusObject) => {
      this.#isOver = true;
      onOver();
      const error = end.code === status.UNIMPLEMENTED ? new NoLogStreams(end.details) : Object.assign(new Error(end.details || 'the stream of lines has ended'), end);
      for (const { timer, reject } of [...this.#sent.values()].flat()) {
        clearTimeout(timer);
        reject(error);
      }
      this.#sent.clear();
    });
  }

  /** Rejects with `NoLogStreams`, with a `RefusedCall` or with an error that has the status of the stream. */
  append({ ref, firstSeq, lines, truncated }: Pick<AppendLogsRequest, 'firstSeq' | 'lines' | 'truncated'> & { readonly ref: RunRef }): Promise<AppendLogsResponse> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(new Error('the stream of lines has ended'));
      const key = refKey(ref);
      const timer = setTimeout(() => this.cancel(), DEADLINE_MS);
      const sent = this.#sent.get(key) ?? [];
      this.#sent.set(key, sent);
      sent.push({ resolve, reject, timer });
      this.#call.write(create(StreamLogsRequestSchema, { ref, firstSeq, lines, truncated }));
    });
  }

  cancel(): void {
    this.#call.cancel();
  }

  #take({ ref, answered, status: taken, nextSeq, refused }: StreamLogsResponse): void {
    const key = ref === undefined ? '' : refKey(ref);
    const sent = this.#sent.get(key) ?? [];
    for (const { timer, resolve, reject } of sent.splice(0, answered)) {
      clearTimeout(timer);
      if (refused === '') resolve(create(AppendLogsResponseSchema, { status: taken, nextSeq }));
      else reject(new RefusedCall(refused));
    }
    if (sent.length === 0) this.#sent.delete(key);
  }
}
