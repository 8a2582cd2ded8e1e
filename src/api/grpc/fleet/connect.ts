import { toBinary } from '@bufbuild/protobuf';
import { Metadata, type ServerDuplexStream, status as codes } from '@grpc/grpc-js';
import { type ServerMessage, ServerMessageSchema,
  type ShipMessage } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type Log, RepeatedFailure } from '../../../lib/log.ts';
import type { FleetService, Session, SessionOutput } from '../../../runs/fleet/port.ts';
import { peerOf, proving, statusOf } from './call.ts';

/** Messages that the session processes at once; at this number, no more are read. */
const MOST_AT_ONCE = 64;

/** Serves control streams. */
export function connectHandler(service: FleetService, log: Log): (call: ControlCall) => void {
  const failure = new RepeatedFailure(log.child({ rpc: 'Connect' }), 'a call of a ship failed', 'error');
  return (call) => {
    let session: Session | undefined;
    let gone = false;
    const output = new StreamOutput(call, () => session?.ended());
    const end = (): void => {
      gone = true;
      output.ended();
      session?.ended();
    };
    // Also runs when the connection breaks.
    call.on('cancelled', end);
    call.on('end', end);
    void peerOf(call, service).then((peer) => {
      failure.over();
      if (gone) return;
      session = service.connect(peer, output);
      call.on('data', inTurn(call, session));
    }).catch((error: unknown) => {
      const { code, details, metadata } = statusOf(error, failure);
      output.fail(code, details, metadata);
    });
  };
}

/** Reads no faster than the session processes messages. */
function inTurn(call: ControlCall, session: Session): (message: ShipMessage) => void {
  let working = 0;
  return (message) => {
    if (++working === MOST_AT_ONCE) call.pause();
    void session.receive(message).then(() => {
      if (working-- === MOST_AT_ONCE) call.resume();
    });
  };
}

/** Limit of unsent data; a ship that reads has far less than this. */
const MAX_WAITING_BYTES = 16 << 20;
const MAX_WAITING_MESSAGES = 10_000;

const CODES = {
  ok: codes.OK,
  permission_denied: codes.PERMISSION_DENIED,
  not_found: codes.NOT_FOUND,
  failed_precondition: codes.FAILED_PRECONDITION,
  unavailable: codes.UNAVAILABLE,
} as const;

/** The control stream of a call: its messages are written as bytes, so that unsent data can be counted. */
type ControlCall = ServerDuplexStream<ShipMessage, Buffer>;

/**
 * Writes a session's messages to its stream. Messages that the ship does not read are buffered here up to a limit; then
 * the stream is aborted, because a ship must not fill the memory of the server.
 */
class StreamOutput implements SessionOutput {
  readonly #call: ControlCall;
  readonly #onCut: () => void;
  #waitingBytes = 0;
  #waitingMessages = 0;
  #closed = false;

  /** `onCut`: called when this class aborts the stream. */
  constructor(call: ControlCall, onCut: () => void) {
    this.#call = call;
    this.#onCut = onCut;
  }

  send(message: ServerMessage): void {
    if (this.#closed) return;
    const bytes = Buffer.from(toBinary(ServerMessageSchema, message));
    this.#waitingBytes += bytes.length;
    this.#waitingMessages += 1;
    if (this.#waitingBytes > MAX_WAITING_BYTES || this.#waitingMessages > MAX_WAITING_MESSAGES) {
      this.#cut(codes.RESOURCE_EXHAUSTED, 'the ship does not read what it is sent', new Metadata());
      this.#onCut();
      return;
    }
    this.#call.write(bytes, () => {
      this.#waitingBytes -= bytes.length;
      this.#waitingMessages -= 1;
    });
  }

  close(status: keyof typeof CODES, reason: string, revocation?: Uint8Array): void {
    // Does not wait for a ship that is being disconnected.
    if (status === 'permission_denied') this.#cut(CODES[status], reason, proving(revocation));
    else this.fail(CODES[status], reason);
  }

  /** Ends the stream after the messages that were sent. */
  fail(code: codes, details: string, metadata = new Metadata()): void {
    if (this.#closed) return;
    this.#closed = true;
    if (code === codes.OK) this.#call.end();
    else this.#call.emit('error', { code, details, metadata });
  }

  /** Called when the stream has ended by itself. */
  ended(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#call.end();
  }

  /**
   * Ends the stream without its unsent messages. The library's stream sends its status only after them, so they are
   * dropped, and the status is passed to the underlying call.
   */
  #cut(code: codes, details: string, metadata: Metadata): void {
    if (this.#closed) return;
    this.#closed = true;
    const { call } = this.#call as unknown as { call: { sendStatus(status: object): void } };
    this.#call.destroy();
    call.sendStatus({ code, details, metadata });
  }
}
