import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { OpenRequests } from './open-requests.ts';

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
