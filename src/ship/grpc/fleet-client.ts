import type { DescMessage, DescMethod, MessageShape } from '@bufbuild/protobuf';
import { type Client, Metadata, type ServiceError, status, type StatusObject } from '@grpc/grpc-js';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Fleet, type ServerMessage } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { ControlStream, StreamEvents } from '../link.ts';
import { LogStream } from './log-stream.ts';
import { type ClientTls, definitionOf, openClient, type ServerAddress } from './open-client.ts';

/** Longest time of a call. */
const DEADLINE_MS = 20_000;
/** Credentials that identify the ship to the server and the server to the ship; PEM. */
export type ShipCredentials = Required<ClientTls>;

type StreamingMethod<Input extends DescMessage, Output extends DescMessage> = DescMethod & { readonly input: Input;
  readonly output: Output };
type UnaryMethod<Input extends DescMessage, Output extends DescMessage> = DescMethod & { readonly input: Input;
  readonly output: Output };

/** Calls the Fleet service with one certificate. */
export class FleetClient {
  readonly #client: Client;
  /** Current streams and calls. */
  readonly #open = new Set<{ cancel(): void }>();
  #logStream: LogStream | undefined;
  readonly #isRevocation: (proof: Uint8Array) => boolean;

  /** `isRevocation`: whether the proof that came with a refusal is valid. */
  constructor(address: ServerAddress, tls: ShipCredentials, isRevocation: (proof: Uint8Array) => boolean) {
    this.#client = openClient(address, tls);
    this.#isRevocation = isRevocation;
  }

  /** Rejects with the library's error. */
  call<Input extends DescMessage, Output extends DescMessage>(method: UnaryMethod<Input, Output>,
    request: MessageShape<Input>): Promise<MessageShape<Output>>
  {
    const { path, requestSerialize, responseDeserialize } = definitionOf(method);
    return new Promise((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), {
        deadline: Date.now() + DEADLINE_MS,
      }, (error: ServiceError | null, answer?: MessageShape<Output>) => {
        this.#open.delete(call);
        if (error === null) resolve(answer!);
        else reject(error);
      });
      this.#open.add(call);
    });
  }

  /**
   * Sends parts one after another, at the speed of the network. A response that arrives before the last part ends the
   * call. Rejects with the library's error, or with the error of reading the parts.
   */
  async upload<Input extends DescMessage, Output extends DescMessage>(method: UnaryMethod<Input, Output>,
    parts: AsyncIterable<MessageShape<Input>>, signal: AbortSignal): Promise<MessageShape<Output>>
  {
    const { path, requestSerialize, responseDeserialize } = definitionOf(method);
    const done = Promise.withResolvers<MessageShape<Output>>();
    const over = new AbortController();
    const call = this.#client.makeClientStreamRequest(path, requestSerialize, responseDeserialize, new Metadata(),
      (error: ServiceError | null, answer?: MessageShape<Output>) => {
        over.abort();
        if (error === null) done.resolve(answer!);
        else done.reject(error);
      });
    this.#open.add(call);
    const cancel = (): void => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    call.on('error', () => undefined);
    const answer = done.promise.finally(() => {
      this.#open.delete(call);
      signal.removeEventListener('abort', cancel);
    });
    answer.catch(() => undefined);
    try {
      for await (const part of parts) {
        if (over.signal.aborted || signal.aborted) break;
        if (!call.write(part)) await Promise.race([once(call, 'drain', { signal: over.signal }), silence(over.signal)]);
      }
    } catch (error) {
      if (!over.signal.aborted) {
        call.cancel();
        throw error;
      }
    }
    if (signal.aborted) call.cancel();
    else call.end();
    return answer;
  }

  /** Reads the responses one after another. Rejects with the library's error. */
  async *download<Input extends DescMessage, Output extends DescMessage>(method: StreamingMethod<Input, Output>,
    request: MessageShape<Input>, signal: AbortSignal): AsyncGenerator<MessageShape<Output>>
  {
    const { path, requestSerialize, responseDeserialize } = definitionOf(method);
    const call = this.#client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request,
      new Metadata());
    const cancel = (): void => call.cancel();
    this.#open.add(call);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      yield* call as AsyncIterable<MessageShape<Output>>;
    } finally {
      this.#open.delete(call);
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  }

  /** Returns the stream for log lines; opens one if none is open. */
  logStream(): LogStream {
    if (this.#logStream !== undefined) return this.#logStream;
    const stream = new LogStream(this.#client, () => {
      this.#open.delete(stream);
      if (this.#logStream === stream) this.#logStream = undefined;
    });
    this.#open.add(stream);
    this.#logStream = stream;
    return stream;
  }

  connect(events: StreamEvents): ControlStream {
    const { path, requestSerialize, responseDeserialize } = definitionOf(Fleet.method.connect);
    const stream = this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new Metadata());
    let isOver = false;
    this.#open.add(stream);
    stream.on('data', (message: ServerMessage) => {
      if (!isOver) events.message(message);
    });
    stream.on('error', () => undefined);
    // Emitted once, however the stream ended.
    stream.on('status', (end: StatusObject) => {
      this.#open.delete(stream);
      if (isOver) return;
      isOver = true;
      events.ended(this.#reasonOf(end), describeStatus(end));
    });
    return {
      send: (message) => {
        if (!isOver) stream.write(message);
      },
      close: () => {
        isOver = true;
        stream.cancel();
      },
    };
  }

  #reasonOf({ code, metadata }: StatusObject): Parameters<StreamEvents['ended']>[0] {
    const [proof] = metadata.get('quire-revocation-bin');
    if (code === status.PERMISSION_DENIED && proof instanceof Buffer && this.#isRevocation(proof)) return 'denied';
    return END_REASONS[code] ?? 'lost';
  }

  /** Closes its streams as if they were lost. Current calls reject, and can be repeated by another client. */
  close(): void {
    for (const call of this.#open) call.cancel();
    this.#client.close();
  }
}

/** If the network accepts nothing for this long, the connection counts as broken. */
const SILENCE_MS = 60_000;

async function silence(over: AbortSignal): Promise<never> {
  await setTimeout(SILENCE_MS, undefined, { signal: over, ref: false });
  throw new Error(`nothing could be sent for ${SILENCE_MS / 1000} seconds`);
}

const END_REASONS: Readonly<Partial<Record<status, 'unknown' | 'outdated'>>> = {
  [status.PERMISSION_DENIED]: 'unknown',
  [status.NOT_FOUND]: 'unknown',
  [status.FAILED_PRECONDITION]: 'outdated',
};

const describeStatus = ({ code, details }: StatusObject): string =>
  `${status[code]}${details === '' ? '' : `: ${details}`}`;
