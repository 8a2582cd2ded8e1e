import { expect, it } from 'vitest';
import { commandsIn } from './commands.ts';

it('commands are lines of a comment, outside of quotes and code', () => {
  expect(commandsIn('Please:\r\n/retry\n/run docs-2 ')).toEqual([{ kind: 'retry' }, {
    kind: 'run',
    pipeline: 'docs-2',
  }]);
  for (const text of ['> /retry', '```\n/retry\n```', 'a /retry', '/retry now', '/run', '/run a b', '/run ../a',
    '/retryx'])
    expect(commandsIn(text), text).toEqual([]);
  expect(commandsIn('/retry\n'.repeat(100))).toHaveLength(5);
});
