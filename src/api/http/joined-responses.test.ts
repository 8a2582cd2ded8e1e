import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { JoinedResponses, OpenRequests } from './joined-responses.ts';

function setUp() {
  const sent: string[] = [];
  const soon: (() => void)[] = [];
  const loop = { time: 0, now: () => loop.time, soon: (run: () => void) => void soon.push(run) };
  const open = { isOne: false };
  const joinedResponses = new JoinedResponses(loop, open);
  return {
    loop,
    open,
    joinedResponses,
    sent,
    end: (name: string) =>
      joinedResponses.end({ end: (body: string) => void sent.push(`${name}: ${body}`) } as never, 'body'),
    /** The end of a turn of the event loop. */
    turn: () => {
      for (const run of soon.splice(0)) run();
    },
  };
}

describe('responses that are joined', () => {
  it('sends the responses of a turn together at its end, in their order', () => {
    const { end, sent, turn } = setUp();
    for (const name of ['a', 'b', 'c']) end(name);
    expect(sent).toEqual([]);
    turn();
    expect(sent).toEqual(['a: body', 'b: body', 'c: body']);
  });

  it('sends each response once, in the turn in which it was completed', () => {
    const { end, sent, turn } = setUp();
    end('a');
    turn();
    end('b');
    expect(sent).toEqual(['a: body']);
    turn();
    turn();
    expect(sent).toEqual(['a: body', 'b: body']);
  });

  it('does not wait for the end of a long turn: it sends all when one more is completed or a request begins', () => {
    const { end, loop, joinedResponses, sent, turn } = setUp();
    end('a');
    loop.time = 0.9;
    end('b');
    joinedResponses.relieve(loop.time);
    expect(sent).toEqual([]);
    loop.time = 1;
    end('c');
    expect(sent).toHaveLength(3);
    end('d');
    loop.time = 2;
    joinedResponses.relieve(loop.time);
    expect(sent).toHaveLength(4);
    turn();
    expect(sent).toHaveLength(4);
  });

  it('sends the response to the only open request at once, but not before others that wait', () => {
    const { end, open, sent, turn } = setUp();
    open.isOne = true;
    end('a');
    expect(sent).toEqual(['a: body']);
    open.isOne = false;
    end('b');
    open.isOne = true;
    end('c');
    expect(sent).toHaveLength(1);
    turn();
    expect(sent).toEqual(['a: body', 'b: body', 'c: body']);
  });

  it('has nothing to relieve when nothing waits', () => {
    const { loop, joinedResponses, sent } = setUp();
    loop.time = 5;
    joinedResponses.relieve(loop.time);
    expect(sent).toEqual([]);
  });
});

it('open requests are those without a complete response', () => {
  const open = new OpenRequests();
  const [first, second] = [new EventEmitter(), new EventEmitter()];
  expect(open.isOne).toBe(false);
  open.add(first);
  expect(open.isOne).toBe(true);
  open.add(second);
  expect(open.isOne).toBe(false);
  first.emit('close');
  expect(open.isOne).toBe(true);
  second.emit('close');
  expect(open.isOne).toBe(false);
});
