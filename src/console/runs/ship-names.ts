import { listShips } from '../../../generated/runs/sdk/sdk.gen.ts';
import { ask } from '../shared/ask.ts';
import { useLoad } from '../shared/use-load.ts';
import { shortId } from './places.ts';

/** The name of a ship by its id; empty without a ship. A token that may not list ships sees the end of the id. */
export function useShipNames(): (id: string | null) => string {
  const ships = useLoad(async (signal) => (await ask(listShips({ signal }))).data, []);
  const names = new Map(ships.data?.map(({ id, name }) => [id, name]));
  return (id) => {
    if (id === null) return '';
    return id.startsWith('local:') ? 'this server' : names.get(id) ?? shortId(id);
  };
}
