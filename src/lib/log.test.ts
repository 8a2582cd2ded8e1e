import { expect, it } from 'vitest';
import { HeardLog } from '../testkit/ship/heard-log.ts';
import { RepeatedFailure } from './log.ts';

it('writes a failure that repeats once, again when it is another, and its end', () => {
  const log = new HeardLog();
  const failure = new RepeatedFailure(log, 'cannot send');
  failure.over();
  for (let n = 0; n < 5; n++) failure.note(new Error('refused'));
  expect(log.messages).toEqual(['cannot send']);
  for (let n = 0; n < 5; n++) failure.note(new Error('timed out'));
  expect(log.messages).toEqual(['cannot send', 'cannot send']);
  failure.over();
  failure.over();
  failure.note(new Error('timed out'));
  failure.over();
  expect(log.messages.slice(2)).toEqual(['over: cannot send', 'cannot send']);
});
