import { expect, test } from 'vitest';
import { scoreInText } from './score-in-text.ts';

test.each([
  ['{"score": 7}', 7],
  ['Here it is:\n\n```json\n{\n  "text": "a } b",\n  "score": 82\n}\n```\nAnything else?', 82],
  ['I think {this} is good. {"score": 61.5, "why": {"score": 1}}', 61.5],
  ['First {"score": 1}, and after another look {"score": 2}.', 2],
  ['An open { brace and a " mark\nthen {"score": 3}', 3],
  ['{"score": 4} {"score": "high"}', 4],
  ['{"a": {"score": 5}}', undefined],
  ['[{"score": 6}]', 6],
  ['{"score": 1e999}', undefined],
  ['the score is 9', undefined],
  ['{"score": 8', undefined],
  ['{"quote": "\\"{\\"", "score": 10}', 10],
  ['', undefined],
])('the score in %j is %s', (text, score) => {
  expect(scoreInText(text)).toBe(score);
});

test('takes time in proportion to the text, whatever is in it', () => {
  const size = 200_000;
  for (const text of ['{'.repeat(size), '{"a":'.repeat(size), '{"a":'.repeat(size) + '}'.repeat(size),
    '{"score"'.repeat(size) + '}'.repeat(size), '"{\n}'.repeat(size)])
    expect(scoreInText(text)).toBeUndefined();
});
