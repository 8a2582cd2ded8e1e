import { describe, expect, it } from 'vitest';
import { Sink } from '../../../testkit/commands/run-command.ts';
import { showProgress } from './progress.ts';
import type { Source } from './source.ts';

const source: Source = { name: 's', unit: 'bytes', total: 2000, items: () => (async function*() {})() };

function movable() {
  const clock = { time: 0, now: () => clock.time };
  return clock;
}

describe('showProgress', () => {
  it('writes a line every three seconds where there is no terminal', () => {
    const [sink, clock] = [new Sink(), movable()];
    const progress = showProgress(source, sink, clock, false);
    for (const second of [1, 2, 3, 4, 5, 6.5]) {
      clock.time = second * 1000;
      progress.update(second * 200, second * 10);
    }
    progress.stop();
    expect(sink.text).toBe('30%, 30 documents, 10/s, 600 bytes read\n65%, 65 documents, 10/s, 1.3 KB read\n');
  });

  it('does without a share when the end is not known', () => {
    const [sink, clock] = [new Sink(), movable()];
    const progress = showProgress({ ...source, unit: 'files', total: undefined }, sink, clock, false);
    clock.time = 4000;
    progress.update(8, 8);
    expect(sink.text).toBe('8 documents, 2/s, 8 files read\n');
  });

  it('draws a bar on a terminal', () => {
    const [sink, clock] = [new Sink(80), movable()];
    const progress = showProgress(source, sink, clock, false);
    clock.time = 2000;
    progress.update(2000, 20);
    progress.stop();
    progress.stop();
    expect(sink.text).toContain('100%  20 documents  10/s');
  });

  it('is silent when asked to be', () => {
    const [sink, clock] = [new Sink(80), movable()];
    const progress = showProgress(source, sink, clock, true);
    clock.time = 10_000;
    progress.update(1, 1);
    progress.stop();
    expect(sink.text).toBe('');
  });
});
