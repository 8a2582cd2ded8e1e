import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fixture } from '../../documents/test-fixture.ts';
import { NodeClaims, soleClaims } from './claims.ts';

let fixture: Fixture;
/** Names that processes hold, as `Peers` has them. */
let held: Set<string>;
beforeEach(async () => {
  fixture = await Fixture.open('node:sqlite');
  held = new Set();
});
afterEach(() => fixture.close());

const NONE: ReadonlySet<string> = new Set();

/** A node, and a function that ends it. */
function node(): { claims: NodeClaims; end: () => void } {
  const own: string[] = [];
  const claims = new NodeClaims(fixture.sql, {
    async claim(name) {
      own.push(name);
      held.add(name);
      return true;
    },
    isClaimed: async (name) => held.has(name),
  });
  return { claims, end: () => own.forEach((name) => held.delete(name)) };
}

describe('claims of several nodes', () => {
  it('belong to the first that asks, until it is gone or leaves them; then the epoch grows', async () => {
    const [a, b] = [node(), node()];
    expect([...await a.claims.claim(['fts/x', 'fts/y'], NONE)]).toEqual([['fts/x', 1], ['fts/y', 1]]);
    expect([...await b.claims.claim(['fts/x', 'fts/z'], NONE)]).toEqual([['fts/z', 1]]);
    expect([...await a.claims.claim(['fts/x'], NONE)]).toEqual([['fts/x', 1]]);
    await a.claims.release(['fts/y', 'fts/z']);
    expect([...await b.claims.claim(['fts/x', 'fts/y', 'fts/z'], NONE)].sort()).toEqual([['fts/y', 2], ['fts/z', 1]]);
    a.end();
    expect([...await b.claims.claim(['fts/x'], NONE)]).toEqual([['fts/x', 2]]);
    // The former node comes back.
    expect([...await a.claims.claim(['fts/x'], NONE)]).toEqual([]);
  });

  it('are taken from a node that is overdue', async () => {
    const [a, b] = [node(), node()];
    await a.claims.claim(['fts/x'], NONE);
    expect([...await b.claims.claim(['fts/x'], new Set(['fts/x']))]).toEqual([['fts/x', 2]]);
    expect(await a.claims.raise('fts/x', 1, 5)).toBe(false);
    expect([await b.claims.raise('fts/x', 2, 5), [...await b.claims.claim(['fts/x'], NONE)]]).toEqual([true, [['fts/x',
      5]]]);
  });

  it('are taken by one of those that ask at the same time', async () => {
    const nodes = Array.from({ length: 4 }, node);
    const names = Array.from({ length: 250 }, (_, i) => `fts/${i}`);
    const taken = await Promise.all(nodes.map(({ claims }) => claims.claim(names, NONE)));
    expect(taken.flatMap((each) => [...each.keys()]).sort()).toEqual(names.toSorted());
  });

  it('are forgotten with their collection', async () => {
    const { claims } = node();
    await claims.claim(['fts/x', 'fts/y'], NONE);
    await claims.forget(['fts/x']);
    expect(await fixture.sql.all('SELECT name, epoch FROM checkpoint_owners')).toEqual([{ name: 'fts/y', epoch: 1 }]);
  });
});

it('claims of the only process are all its own', async () => {
  const claims = soleClaims();
  expect([...await claims.claim(['fts/x'], NONE)]).toEqual([['fts/x', 1]]);
  await claims.raise('fts/x', 1, 4);
  expect([...await claims.claim(['fts/x'], NONE)]).toEqual([['fts/x', 4]]);
});
