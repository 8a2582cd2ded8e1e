import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { Answers, linkTo, type PartAddress, readEach } from '../../search/parts/index.ts';
import { IndexElsewhere, IndexLoading } from '../view/index.ts';
import type { Route } from './cluster-state.ts';
import { NodeConnections } from './connections.ts';
import { answerGathered, type AnsweringView, PartGatherer } from './gathering.ts';

const unending = new AbortController().signal;
const route = (name: string): Route => ({ name, address: `${name}:1`, isReady: true, position: 1 });

type Answer = AnsweringView['answer'];

/** A gatherer whose nodes answer for their parts of the view `words`; one without an answer is down. */
function open(nodes: Readonly<Record<string, Answer | undefined>>, owners: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const failed: string[] = [];
  const reached: number[] = [];
  const connections = new NodeConnections((address) => ({
    ask: () => Promise.reject(new Error('nothing is forwarded')),
    async gather(questions, signal) {
      const name = address.split(':')[0]!;
      asked.push(name);
      const answer = nodes[name];
      if (answer === undefined) throw new ServiceError('unavailable', 'no connection');
      const view = { ...empty, answer, reached: async (lsn: number) => void reached.push(lsn) };
      return answerGathered([view], questions, signal);
    },
    close: () => undefined,
  }));
  const gatherer = new PartGatherer({
    routesOf: ({ number }: PartAddress) => owners[number]!.map(route),
    connections,
    answerAsEmpty: (part, method) => empty.answerAsEmpty(part.collection, method),
    failed: (name) => void failed.push(name),
    known: () => 7,
  });
  const links = owners.map((_, number) => linkTo({ view: 'words', collection: 'c', number, of: owners.length }));
  const counts = (missing?: (part: PartAddress) => void) =>
    new Answers((questions) => gatherer.ask(questions, unending, missing)).within(async () =>
      readEach(links, (link) => link.known<string>('count', 'apple'))
    );
  return { counts, asked, failed, reached, gatherer, links };
}

const empty = { name: 'words', answerAsEmpty: async (_: string, method: string) => `no ${method}` };

/** Says which node was asked for which part. */
const from = (name: string): Answer => ({ number }, method, args) => `${name} ${number} ${method} ${args.join()}`;

describe('parts of a collection that other nodes have', () => {
  it('are asked for together at the node that is best for each, and include what was written here', async () => {
    const { counts, asked, reached } = open({ a: from('a'), b: from('b') }, [['a', 'b'], ['b', 'a'], ['a']]);
    expect(await counts()).toEqual(['a 0 count apple', 'b 1 count apple', 'a 2 count apple']);
    expect([asked, reached]).toEqual([['a', 'b'], [7, 7]]);
  });

  it('are asked for at the next node if one is down, or has not got them in memory any more', async () => {
    const down = open({ a: undefined, b: from('b') }, [['a', 'b'], ['b']]);
    expect(await down.counts()).toEqual(['b 0 count apple', 'b 1 count apple']);
    expect(down.failed).toEqual(['a']);
    const lost: Answer = () => {
      throw new IndexElsewhere('full-text', 'c', async () => undefined);
    };
    const without = open({ a: lost, b: from('b') }, [['a', 'b'], ['b']]);
    expect(await without.counts()).toEqual(['b 0 count apple', 'b 1 count apple']);
  });

  it('are asked at the same node for what replicas do not have in common, as long as that answers', async () => {
    const nodes: Record<string, Answer | undefined> = { a: from('a'), b: from('b') };
    const routes = ['a', 'b'];
    const { gatherer, links } = open(nodes, [routes]);
    const ask = () =>
      new Answers((questions) => gatherer.ask(questions, unending)).within(async () =>
        readEach([() => links[0]!.steady<string>('state'), () => links[0]!.known<string>('count')], (read) => read())
      );
    expect(await ask()).toEqual(['a 0 state ', 'a 0 count ']);
    routes.reverse();
    expect(await ask()).toEqual(['a 0 state ', 'b 0 count ']);
    nodes['a'] = undefined;
    expect(await ask()).toEqual(['b 0 state ', 'b 0 count ']);
    nodes['a'] = from('a');
    routes.reverse();
    expect(await ask()).toEqual(['b 0 state ', 'a 0 count ']);
  });

  it('are waited for while their node reads them into memory', async () => {
    let tries = 0;
    const loading: Answer = (...call) => {
      if (tries++ === 0) throw new IndexLoading('full-text', Promise.resolve());
      return from('a')(...call);
    };
    expect(await open({ a: loading }, [['a']]).counts()).toEqual(['a 0 count apple']);
  });

  it('refuse what they refuse in this process', async () => {
    const refusing = (error: Error): Answer => () => {
      throw error;
    };
    const { counts } = open({ a: refusing(new ServiceError('invalid_argument', 'query: too many words')) }, [['a']]);
    await expect(counts()).rejects.toMatchObject({ code: 'invalid_argument', message: 'query: too many words' });
    const range = open({ a: refusing(new RangeError('limit')) }, [['a']]);
    await expect(range.counts()).rejects.toThrow(new RangeError('limit'));
  });

  it('name the part that no node answers for', async () => {
    const expected = { code: 'unavailable', message: expect.stringContaining('partition 2 of 2 of c') as string };
    await expect(open({ a: from('a'), b: undefined }, [['a'], ['b']]).counts()).rejects.toMatchObject(expected);
    await expect(open({ a: from('a') }, [['a'], []]).counts()).rejects.toMatchObject(expected);
  });

  it('answer as if they were empty where that is wanted, beside others of the same node that another one has', async () => {
    const { counts } = open({ a: undefined, b: from('b') }, [['a'], ['a', 'b'], []]);
    const missing: number[] = [];
    expect(await counts(({ number }) => void missing.push(number))).toEqual(['no count', 'b 1 count apple',
      'no count']);
    expect(missing.sort()).toEqual([0, 2]);
  });
});
