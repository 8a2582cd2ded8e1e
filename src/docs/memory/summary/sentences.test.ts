import { describe, expect, it } from 'vitest';
import { isQuestion, proseOf, sentencesOf } from './sentences.ts';

const sentences = (text: string) => [...sentencesOf(proseOf(text))];

describe('the sentences of a message (decisions section 4.7)', () => {
  it('leave out blocks of code and quotes', () => {
    expect(sentences('Before.\n\n```js\nlet x = 1;\n```\nAfter.')).toEqual(['Before.', 'After.']);
    expect(sentences('~~~~\ncode ``` ~~~\n~~~~\nAfter.')).toEqual(['After.']);
    expect(sentences('Before.\n```\nnever closed.')).toEqual(['Before.']);
    expect(sentences('> You said this.\n>> And this.\nI say that.')).toEqual(['I say that.']);
    expect(sentences('Before ```inline``` after.')).toEqual(['Before inline after.']);
  });

  it('are plain lines without marks of lists, headings and emphasis', () => {
    expect(sentences('# Plan\n\n1. **Book** the `train`.\n- Pay _now_.\n\n---\n* snake_case and 2 * 3')).toEqual([
      'Plan',
      'Book the train.',
      'Pay now.',
      'snake_case and 2 * 3',
    ]);
    expect(sentences('Spaces   and\ttabs. Two.')).toEqual(['Spaces and tabs.', 'Two.']);
  });

  it('end as the language has it', () => {
    expect(sentences('It costs 3.50 now. Dr. no')).toContain('It costs 3.50 now.');
    expect(sentences('我想订票。可以吗？')).toEqual(['我想订票。', '可以吗？']);
    expect(sentences('मैं आया। तुम कहाँ हो?')).toEqual(['मैं आया।', 'तुम कहाँ हो?']);
    expect(sentences('مرحبا. كيف حالك؟')).toEqual(['مرحبا.', 'كيف حالك؟']);
  });

  it('have words, and no more than 2000 characters', () => {
    expect(sentences('!!! ... 🎉\n\n—')).toEqual([]);
    expect(sentences('x '.repeat(50_000))[0]!.length).toBeLessThanOrEqual(2000);
  });

  it.each([['Why?', true], ['Why? ', false], ['(Why?)', true], ['why?!', false], ['可以吗？', true], ['كيف حالك؟',
    true], ['Γιατί\u037e', true], ['Because.', false]])('%j asks: %s', (text, asks) => {
      expect(isQuestion(text)).toBe(asks);
    });
});
