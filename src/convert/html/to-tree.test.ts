import { expect, it } from 'vitest';
import { treeOf } from './to-tree.ts';

it('takes any number of children, and joins their texts', () => {
  // As arguments of one call, these are more than the stack takes.
  const letters = Array.from({ length: 200_000 }, () => ({ type: 'text' as const, value: 'x' }));
  expect(treeOf({ type: 'root', children: [{ type: 'element', tagName: 'span', properties: {}, children: letters }] }))
    .toEqual({
      type: 'root',
      children: [{ type: 'paragraph', children: [{ type: 'text', value: 'x'.repeat(200_000) }] }],
    });
});
