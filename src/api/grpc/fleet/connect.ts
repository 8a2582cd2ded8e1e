import type { ShipMessage } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type Log, RepeatedFailure } from '../../../lib/log.ts';
import type { FleetService, Session } from '../../../runs/fleet/port.ts';
import { peerOf } from './peer.ts';
import { statusOf } from './status.ts';
import { type ControlCall, StreamOutput } from './stream-output.ts';

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
