import { describe, expect, it } from 'vitest';
import { warningsIn, withWarnings } from './answers.ts';
import { Reply } from './handler.ts';

describe('withWarnings', () => {
  it('leaves a response without warnings as it is', () => {
    const reply = new Reply([1]);
    expect(withWarnings(reply, [])).toBe(reply);
  });

  it('puts them into a header of ASCII where the response is a list, a file or nothing', () => {
    for (const value of [[1, 2], { contentType: 'text/plain', content: 'x' }, undefined]) {
      const reply = withWarnings(new Reply<unknown>(value, { 'X-Total-Count': '2' }, 202), ['unknown field "größe\n"']);
      expect([reply.value, reply.status]).toEqual([value, 202]);
      expect(reply.headers).toEqual({
        'X-Total-Count': '2',
        'X-Warnings': '["unknown field \\"gr\\u00f6\\u00dfe\\n\\""]',
      });
      expect(warningsIn(reply.headers)).toEqual({ warnings: ['unknown field "größe\n"'] });
    }
  });

  it('keeps that header short, and at least one warning', () => {
    const { headers } = withWarnings(new Reply([]), Array.from({ length: 20 }, (_, i) => `${i} ${'x'.repeat(200)}`));
    expect(headers['X-Warnings']!.length).toBeLessThan(1024);
    expect(warningsIn(headers).warnings!.length).toBe(4);
  });
});
