import { latencyOf } from '../peers/latencies.ts';
import { scaled } from '../support/scale.ts';
import { type Prepared, send } from '../support/wire.ts';

const SECONDS = scaled(4, 0.4);
const SLICES = 4;
/** Warm-up of all kinds before any is measured, so that the code is compiled. */
const WARM_SECONDS = scaled(5, 0.5);
export const CONNECTIONS = 16;

export interface OverHttp {
  /** With one connection, in microseconds. */
  readonly one: ReturnType<typeof latencyOf>;
  /** With many connections. */
  readonly perSecond: number;
  readonly refused: number;
  /** The longest block of the event loop during both, in milliseconds, if it is known. */
  readonly longestBlock: number;
}

/**
 * The searches of each kind in turn, slice by slice over one connection, then over sixteen. `blocked` returns the
 * server's longest block since the last call.
 */
export async function overHttp<Kind extends string>(url: string, requests: ReadonlyMap<Kind, readonly Prepared[]>,
  blocked: () => Promise<number> = async () => 0): Promise<Map<Kind, OverHttp>>
{
  const kinds = [...requests.keys()];
  const times = new Map(kinds.map((kind): [Kind, number[]] => [kind, []]));
  const blocks = new Map(kinds.map((kind): [Kind, number] => [kind, 0]));
  const sending = async (kind: Kind, connections: number, seconds: number) => {
    await blocked();
    const sent = await send(url, requests.get(kind)!, connections, seconds);
    blocks.set(kind, Math.max(blocks.get(kind)!, await blocked()));
    return sent;
  };
  await send(url, [...requests.values()].flat(), CONNECTIONS, WARM_SECONDS);
  for (let slice = 0; slice < SLICES; slice++) {
    for (const kind of kinds) times.get(kind)!.push(...(await sending(kind, 1, SECONDS / SLICES)).times);
  }
  const measured = new Map<Kind, OverHttp>();
  for (const kind of kinds) {
    const { times: many, refused, seconds } = await sending(kind, CONNECTIONS, SECONDS);
    measured.set(kind, {
      one: latencyOf(times.get(kind)!),
      perSecond: many.length / seconds,
      refused,
      longestBlock: blocks.get(kind)!,
    });
  }
  return measured;
}
