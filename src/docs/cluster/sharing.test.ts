import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { Answers, type PartAnswer, type Question } from '../../search/parts/index.ts';
import type { Queries } from '../../storage/index.ts';
import { MemoryRows } from '../../testkit/cluster/memory-rows.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { nameOfPartition } from '../view/index.ts';
import { languages, TestKind, type TestView, Views } from '../view/test-fixture.ts';
import { Cluster } from './cluster.ts';
import { Collections } from './collections.ts';
import { HeldCollections } from './held-collections.ts';
import { holdingOf } from './held-indexes.ts';

const LANGUAGES = ['de', 'en', 'fr', 'it', 'nl', 'pt', 'sv', 'tr'];

interface Node {
  readonly name: string;
  readonly view: TestView;
  readonly kind: TestKind;
  readonly cluster: Cluster;
  readonly collections: Collections;
  readonly held: HeldCollections;
}

describe('nodes that share a collection', () => {
  const views = new Views('node:sqlite');
  let timer: VirtualTimer;
  let rows: MemoryRows;
  let nodes: Node[];
  let count: number;
  /** Builds wait for it that a test holds up. */
  let gate: PromiseWithResolvers<void>;

  afterEach(async () => {
    gate.resolve();
    for (const node of nodes) await stop(node);
  });

  const stop = async ({ held, cluster, view }: Node): Promise<void> => {
    await held.stop();
    await cluster.stop();
    await view.stop();
  };

  async function start(name: string, kind = new TestKind(views.fixture)): Promise<Node> {
    const { view } = await views.started(kind, {
      partitions: () => count,
      mostAtRest: Infinity,
      checkpoints: undefined,
    });
    // So large that it is not held at rest.
    const sql = { all: async () => [{ id: 1, name: 'c', docs: 100_000 }] } as unknown as Queries;
    const collections = new Collections({ sql, views: [view] });
    const cluster: Cluster = new Cluster({
      rows,
      facts: { name, address: name, version: '1', weight: 100, limit: 0 },
      replicas: 2,
      units: () => collections.units(),
      holding: () => holdingOf([view], collections, (unit) => held.has(unit)),
      log: silentLog,
      timer,
      now: () => timer.now,
    });
    const now = (): number => timer.now;
    const held = new HeldCollections({ views: [view], cluster, collections, log: silentLog, timer, now });
    const node = { name, view, kind, cluster, collections, held };
    view.leaveTo({
      have: (partition) => !held.has(collections.unitOf(partition)!) && routesOf(node, partition).length > 0,
      documentsOf: () => 100_000,
    });
    nodes.push(node);
    cluster.start();
    held.start();
    return node;
  }

  const routesOf = ({ cluster, collections }: Node, partition: Parameters<TestView['stateOf']>[0]): string[] =>
    cluster.routeOf(collections.unitOf(partition)!).filter(({ name, isReady }) => isReady && name !== cluster.self).map(
      ({ name }) => name
    );

  /** What a search finds that a node answers. Throws if a partition is neither here nor at a node that is known. */
  function search(node: Node): Promise<string[] | undefined> {
    const ask = async (questions: readonly Question[]): Promise<PartAnswer[]> =>
      questions.map(({ part, method, args }) => {
        const failures: unknown[] = [];
        for (const name of routesOf(node, part)) {
          try {
            return { value: nodes.find((each) => each.name === name)!.view.answer(part, method, args) };
          } catch (error) {
            failures.push(error);
          }
        }
        return { error: failures[0] ?? new Error(`nobody has ${nameOfPartition(part)}`) };
      });
    return new Answers(ask).within(async () => languages(node.view));
  }

  /** Time goes on, and builds that nothing holds up are done meanwhile. */
  async function wait(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 250) {
      await timer.advance(250);
      for (const { view } of nodes) await Promise.race([view.settled(), timer.settle()]);
    }
  }

  /** Time goes on, and each node that is ready is searched all the time. */
  async function pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 250) {
      await wait(250);
      for (const node of nodes)
        if (node.held.isReady) expect(await search(node), `${node.name} at ${timer.now}`).toEqual(LANGUAGES);
    }
  }

  async function open(partitions: number): Promise<void> {
    timer = new VirtualTimer();
    rows = new MemoryRows(() => timer.now);
    nodes = [];
    gate = Promise.withResolvers();
    count = partitions;
    for (const [i, lang] of LANGUAGES.entries()) {
      await views.skipTo(i * 1024 + 1);
      await views.add(lang, lang);
    }
    for (const name of ['a', 'b', 'c', 'd']) await start(name);
    await wait(10_000);
    await pass(1000);
  }

  async function divide(into: number): Promise<void> {
    count = into;
    await views.append({ kind: 'config.put', collection: 'c' });
    for (const { view } of nodes) await view.caughtUp();
  }

  const inMemory = ({ view }: Node) => view.inMemory().map(({ name }) => name).sort();
  const wanted = ({ collections, cluster }: Node) =>
    collections.listed.filter(({ unit }) => cluster.isWanted(unit)).map(({ partition }) => nameOfPartition(partition))
      .sort();
  const divisions = () => nodes.map(({ view }) => view.divisionOf('c'));

  it('have only their partitions in memory, and find all documents together', async () => {
    await open(4);
    expect(nodes.map(inMemory)).toEqual(nodes.map(wanted));
    expect(nodes.flatMap(inMemory)).toHaveLength(8);
    expect(nodes.map(({ cluster }) => cluster.state!.short())).toEqual([[], [], [], []]);
    await stop(nodes.shift()!);
    await pass(20_000);
    expect(nodes.map(inMemory)).toEqual(nodes.map(wanted));
    expect(nodes.flatMap(inMemory)).toHaveLength(8);
  });

  it('divide it anew without a moment in which a search fails, each node only its own share', async () => {
    await open(4);
    const slow = nodes.find((node) => wanted(node).length > 0)!;
    slow.kind.beforeScan = () => gate.promise;
    await divide(8);
    await pass(6000);
    expect(nodes.some(({ view }) => view.divisionOf('c')!.next === 8)).toBe(true);
    gate.resolve();
    await pass(20_000);
    expect(divisions()).toEqual(nodes.map(() => ({ serving: 8 })));
    expect(nodes.map(inMemory)).toEqual(nodes.map(wanted));
    expect(nodes.flatMap(inMemory)).toHaveLength(16);
    await divide(2);
    await pass(20_000);
    expect([divisions(), nodes.flatMap(inMemory).length]).toEqual([nodes.map(() => ({ serving: 2 })), 4]);
  });

  it('start in between with the partitions that the others have', async () => {
    await open(2);
    for (const { kind } of nodes) kind.beforeScan = () => gate.promise;
    await divide(4);
    const [first] = nodes.splice(0, 1);
    await stop(first!);
    const again = await start(first!.name);
    again.kind.beforeScan = () => gate.promise;
    await wait(4000);
    expect(again.view.divisionOf('c')).toMatchObject({ serving: 2, next: 4 });
    gate.resolve();
    await pass(20_000);
    expect(divisions()).toEqual(nodes.map(() => ({ serving: 4 })));
  });
});
