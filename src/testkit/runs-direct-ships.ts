import { create } from '@bufbuild/protobuf';
import { AcceptSchema, CompleteRunRequestSchema, HelloSchema, Outcome, type RunRef, type ServerMessage, ShipInfoSchema,
  type ShipMessage, ShipMessageSchema } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Peer, Session } from '../runs/fleet/index.ts';
import { insertShip } from '../runs/ships/index.ts';
import type { FleetFixture } from './runs-fleet.ts';

const message = (body: ShipMessage['body']): ShipMessage => create(ShipMessageSchema, { body });

async function enrol(fixture: FleetFixture, id: string, name: string): Promise<void> {
  const traits = { version: '1.0.0', kinds: ['pipeline' as const], keyVariables: [], capacity: 1, ephemeral: false };
  await fixture.sql.transaction((tx) =>
    insertShip(tx, {
      ...traits,
      id,
      name,
      labels: [],
      os: 'linux',
      arch: 'amd64',
      drainSession: null,
      joinedMs: 1,
      lastSeenMs: 0,
      certExpiresMs: 0,
      revokedMs: 0,
    })
  );
}

function helloOf(name: string, held: readonly RunRef[] = []): ShipMessage {
  const info = create(ShipInfoSchema, {
    name,
    version: '1.0.0',
    protocol: 1,
    os: 'linux',
    arch: 'amd64',
    kinds: ['pipeline'],
    capacity: 1,
  });
  return message({
    case: 'hello',
    value: create(HelloSchema, { sessionId: new Uint8Array([1]), info, held: held.map((ref) => ({ ref })) }),
  });
}

/**
 * A ship that sends its hello and then does what the test says; it becomes a member unless it already holds something.
 */
export async function connectDirectly(fixture: FleetFixture, id: string, held: readonly RunRef[] = []) {
  const name = id.slice(-4);
  if (held.length === 0) await enrol(fixture, id, name);
  const received: ServerMessage[] = [];
  const assigned: RunRef[] = [];
  const session = fixture.fleet.service.connect({ shipId: id }, {
    send: (sent) => {
      received.push(sent);
      if (sent.body.case === 'assignment') assigned.push(sent.body.value.ref!);
    },
    close: () => undefined,
  });
  await session.receive(helloOf(name, held));
  return {
    received,
    assigned,
    accept: (ref: RunRef) => session.receive(message({ case: 'accept', value: create(AcceptSchema, { ref }) })),
  };
}

/** Ships that are members and call the service without a network: each immediately does what it is assigned. */
export function createLocalShips(fixture: FleetFixture, count: number) {
  const { service } = fixture.fleet;
  const runs: string[] = [];
  const welcomed: Promise<void>[] = [];

  async function answer(peer: Peer, session: Session, { body }: ServerMessage, onWelcome: () => void): Promise<void> {
    if (body.case === 'welcome') onWelcome();
    if (body.case !== 'assignment') return;
    const ref: RunRef = body.value.ref!;
    runs.push(ref.runId);
    await session.receive(message({ case: 'accept', value: create(AcceptSchema, { ref }) }));
    await service.completeRun(peer,
      create(CompleteRunRequestSchema, { ref, outcome: Outcome.SUCCEEDED, started: true }));
  }

  async function connect(index: number): Promise<void> {
    const id = index.toString(16).padStart(32, '0');
    await enrol(fixture, id, `ship-${index}`);
    const peer: Peer = { shipId: id };
    const { promise, resolve } = Promise.withResolvers<void>();
    welcomed.push(promise);
    const session: Session = service.connect(peer, {
      send: (sent) => void answer(peer, session, sent, resolve),
      close: () => undefined,
    });
    await session.receive(helloOf(`ship-${index}`));
  }

  return {
    /** Ids of the assigned runs, in order. */
    runs,
    get handedOut() {
      return runs.length;
    },
    async connect(): Promise<void> {
      await Promise.all(Array.from({ length: count }, (_, index) => connect(index)));
      await Promise.all(welcomed);
    },
  };
}
