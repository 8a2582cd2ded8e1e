import { create } from '@bufbuild/protobuf';
import { type Completed, type CompleteRunRequest, CompleteStatus, type ShipMessage,
  ShipMessageSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { RefusedCall } from '../link.ts';
import { refKey } from '../run/index.ts';

/** An end that is not answered within this time is sent again. */
const DEADLINE_MS = 20_000;

interface Sent extends PromiseWithResolvers<Pick<Completed, 'status'>> {
  readonly timer: NodeJS.Timeout;
}

/** Ends of runs on one control stream: each is sent once, and waits for its answer or for the end of the stream. */
export class StreamedEnds {
  readonly #send: (message: ShipMessage) => void;
  readonly #sent = new Map<string, Sent>();
  #isOver = false;

  constructor(send: (message: ShipMessage) => void) {
    this.#send = send;
  }

  /** Rejects with a `RefusedCall`, or with another error if the end has to be sent again. */
  complete(request: CompleteRunRequest): Promise<Pick<Completed, 'status'>> {
    if (this.#isOver) return Promise.reject(new Error('the control stream has ended'));
    const key = refKey(request.ref!);
    const known = this.#sent.get(key);
    if (known !== undefined) return known.promise;
    const timer = setTimeout(
      () =>
        this.#settle(key)?.reject(new Error(`the end of a run was not answered within ${DEADLINE_MS / 1000} seconds`)),
      DEADLINE_MS,
    );
    const sent = { ...Promise.withResolvers<Pick<Completed, 'status'>>(), timer };
    this.#sent.set(key, sent);
    this.#send(create(ShipMessageSchema, { body: { case: 'complete', value: request } }));
    return sent.promise;
  }

  /** The server has answered. */
  take({ ref, status, refused }: Completed): void {
    const sent = ref && this.#settle(refKey(ref));
    if (refused !== '') sent?.reject(new RefusedCall(refused));
    else if (status === CompleteStatus.COMPLETE_UNSPECIFIED)
      sent?.reject(new Error('the server could not record the end of the run'));
    else sent?.resolve({ status });
  }

  /** The stream has ended: whether the server has recorded the unanswered ends is unknown. Safe twice. */
  over(): void {
    this.#isOver = true;
    for (const key of [...this.#sent.keys()]) this.#settle(key)!.reject(new Error('the control stream has ended'));
  }

  #settle(key: string): Sent | undefined {
    const sent = this.#sent.get(key);
    clearTimeout(sent?.timer);
    this.#sent.delete(key);
    return sent;
  }
}
