import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FILLED, placeAll } from './placement.ts';
import { placementOf, type PlaceNode } from './rendezvous.ts';
import type { SizedUnit } from './unit.ts';

const node = (name: string, more: Partial<PlaceNode> = {}): PlaceNode => ({
  name,
  weight: 100,
  isDraining: false,
  limit: 0,
  ...more,
});

const UNITS = Array.from({ length: 2000 }, (_, at) => 64 + at * 7);

/** Up to nine nodes with names of their own. */
const anyNodes = fc.uniqueArray(fc.record({
  name: fc.integer({ min: 0, max: 99 }).map((number) => `node-${number}`),
  weight: fc.constantFrom(50, 100, 100, 100, 300),
  isDraining: fc.constantFrom(false, false, false, true),
  limit: fc.constant(0),
}), { selector: ({ name }) => name, minLength: 1, maxLength: 9 });

const anyReplicas = fc.integer({ min: 1, max: 4 });

const units = UNITS.slice(0, 40);

function placed(nodes: readonly PlaceNode[], replicas: number): Map<number, string[]> {
  return new Map(units.map((unit) => [unit, placementOf(unit, nodes, replicas)]));
}

describe('placement of a unit', () => {
  it('is the same whatever the order of the nodes', () => {
    fc.assert(fc.property(anyNodes, anyReplicas, (nodes, replicas) => {
      expect(placed(nodes.toReversed(), replicas)).toEqual(placed(nodes, replicas));
    }));
  });

  it('is on different nodes, as many as wanted or as there are, and on none that drains', () => {
    fc.assert(fc.property(anyNodes, anyReplicas, (nodes, replicas) => {
      const able = nodes.filter(({ isDraining }) => !isDraining).map(({ name }) => name);
      for (const names of placed(nodes, replicas).values()) {
        expect(new Set(names).size).toBe(Math.min(replicas, able.length));
        expect(able).toEqual(expect.arrayContaining(names));
      }
    }));
  });

  it('moves only what was on a node that dies or drains', () => {
    fc.assert(fc.property(anyNodes, anyReplicas, fc.nat(), fc.boolean(), (nodes, replicas, pick, drains) => {
      const lost = nodes[pick % nodes.length]!;
      const left = nodes.flatMap((each) => each !== lost ? [each] : drains ? [{ ...each, isDraining: true }] : []);
      const before = placed(nodes, replicas);
      for (const [unit, names] of placed(left, replicas))
        expect(names.slice(0, before.get(unit)!.filter((name) => name !== lost.name).length)).toEqual(
          before.get(unit)!.filter((name) => name !== lost.name),
        );
    }));
  });

  it('moves units only to a node that joins', () => {
    fc.assert(fc.property(anyNodes, anyReplicas, (nodes, replicas) => {
      const after = placed([...nodes, node('new')], replicas);
      for (const [unit, names] of placed(nodes, replicas)) {
        const kept = after.get(unit)!.filter((name) => name !== 'new');
        expect(kept).toEqual(names.slice(0, kept.length));
      }
    }));
  });

  it('moves units only to a node whose weight grows', () => {
    fc.assert(fc.property(anyNodes, anyReplicas, fc.nat(), (nodes, replicas, pick) => {
      const grown = nodes[pick % nodes.length]!;
      const after = placed(nodes.map((each) => (each === grown ? { ...each, weight: each.weight * 2 } : each)),
        replicas);
      for (const [unit, names] of placed(nodes, replicas)) {
        const others = after.get(unit)!.filter((name) => name !== grown.name);
        expect(others).toEqual(names.filter((name) => name !== grown.name).slice(0, others.length));
        if (names.includes(grown.name)) expect(after.get(unit)).toContain(grown.name);
      }
    }));
  });

  it('gives nodes a share in proportion to their weights', () => {
    const nodes = [node('a'), node('b'), node('c', { weight: 200 }), node('off', { weight: 0 })];
    const counts = new Map<string, number>();
    for (const unit of UNITS) {
      const [first] = placementOf(unit, nodes, 1);
      counts.set(first!, (counts.get(first!) ?? 0) + 1);
    }
    expect(counts.get('a')! / UNITS.length).toBeCloseTo(0.25, 1);
    expect(counts.get('b')! / UNITS.length).toBeCloseTo(0.25, 1);
    expect(counts.get('c')! / UNITS.length).toBeCloseTo(0.5, 1);
    expect(counts.has('off')).toBe(false);
  });

  it('stays what it was, because nodes of different builds must agree', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e'].map((name) => node(name));
    expect([64, 65, 128, 4096, 64 * 2 ** 40].map((unit) => placementOf(unit, nodes, 2).join(''))).toMatchInlineSnapshot(
      `
      [
        "cd",
        "ac",
        "ad",
        "ea",
        "be",
      ]
    `,
    );
  });
});

const anySizes = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 60 }).map((sizes) =>
  sizes.map((bytes, at): SizedUnit => ({ unit: 64 + at, bytes }))
);
const anyLimits = anyNodes.chain((nodes) =>
  fc.array(fc.integer({ min: 50, max: 2000 }), { minLength: nodes.length, maxLength: nodes.length }).map((limits) =>
    nodes.map((each, at) => ({ ...each, limit: limits[at]! }))
  )
);

describe('placement within limits of memory', () => {
  it('is that of each unit where there is no limit, or none is reached', async () => {
    await fc.assert(fc.asyncProperty(anyNodes, anyReplicas, fc.constantFrom(0, 1e9), async (nodes, replicas, limit) => {
      const limited = nodes.map((each) => ({ ...each, limit }));
      const all = await placeAll(units.map((unit) => ({ unit, bytes: 10 })), limited, replicas);
      expect(all).toEqual(placed(nodes, replicas));
    }));
  });

  it('never fills more of a node than it may', async () => {
    await fc.assert(fc.asyncProperty(anyLimits, anySizes, anyReplicas, async (nodes, sized, replicas) => {
      const all = await placeAll(sized, nodes, replicas);
      for (const { name, limit } of nodes) {
        const load = sized.reduce((sum, { unit, bytes }) => sum + (all.get(unit)!.includes(name) ? bytes : 0), 0);
        expect(load).toBeLessThanOrEqual(limit * FILLED);
      }
      for (const names of all.values()) expect(new Set(names).size).toBe(names.length);
    }));
  });

  it('depends on no order of units and nodes', async () => {
    await fc.assert(fc.asyncProperty(anyLimits, anySizes, anyReplicas, async (nodes, sized, replicas) => {
      const all = await placeAll(sized, nodes, replicas);
      const other = await placeAll(sized.toReversed(), nodes.toReversed(), replicas);
      expect(Object.fromEntries(other)).toEqual(Object.fromEntries(all));
    }));
  });

  it('uses the next node in the order of a unit that does not fit', async () => {
    const nodes = ['a', 'b', 'c'].map((name) => node(name, { limit: 1000 }));
    const [first, second] = placementOf(64, nodes, 2);
    const small = nodes.map((each) => (each.name === first ? { ...each, limit: 10 } : each));
    expect((await placeAll([{ unit: 64, bytes: 100 }], small, 1)).get(64)).toEqual([second]);
  });

  it('gives every unit one node before any has two, and none where there is no room', async () => {
    const nodes = ['a', 'b'].map((name) => node(name, { limit: 1000 }));
    const sized = Array.from({ length: 16 }, (_, at) => ({ unit: 64 + at, bytes: 100 }));
    const all = await placeAll(sized, nodes, 2);
    expect([...all.values()].filter((names) => names.length === 1)).toHaveLength(14);
    expect([...all.values()].filter((names) => names.length === 2)).toHaveLength(2);
    const more = await placeAll([...sized, { unit: 99, bytes: 950 }], nodes, 2);
    expect(more.get(99)).toEqual([]);
  });

  it('moves little when a node comes to a cluster that is half full', async () => {
    const nodes = Array.from({ length: 10 }, (_, at) => node(`node-${at}`, { limit: 45_000 }));
    const sized = UNITS.slice(0, 200).map((unit, at) => ({ unit, bytes: 500 + (at % 7) * 100 }));
    const before = await placeAll(sized, nodes, 2);
    const after = await placeAll(sized, [...nodes, node('new', { limit: 45_000 })], 2);
    const moved = sized.flatMap(({ unit }) => after.get(unit)!.filter((name) => !before.get(unit)!.includes(name)));
    expect(moved.filter((name) => name === 'new').length / moved.length).toBeGreaterThan(0.8);
  });
});
