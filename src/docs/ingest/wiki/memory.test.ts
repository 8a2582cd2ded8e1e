import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { DUMP_END, DUMP_HEAD, pageXml } from '../../../testkit/wiki/dump.ts';

const MIB = 1024 * 1024;

/** Every tenth of its pages is an article. */
function* largeDump(bytes: number): Generator<Buffer> {
  yield Buffer.from(DUMP_HEAD);
  for (let made = 0, i = 0; made < bytes;) {
    const pages = Buffer.from(Array.from({ length: 20 }, () =>
      pageXml({
        title: `Page ${i}`,
        ns: i % 10 === 0 ? 0 : 1,
        text: `Some plain words of page ${i}. `.repeat(400),
        id: ++i,
      })).join(''));
    made += pages.length;
    yield pages;
  }
  yield Buffer.from(DUMP_END);
}

it('a dump passes through memory that does not grow with it', async () => {
  const child = spawn(process.execPath, [
    fileURLToPath(new URL('../../../testkit/wiki/convert-process.ts', import.meta.url)),
  ], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout), pipeline(Readable.from(largeDump(300 * MIB)), child.stdin),
    once(child, 'exit')]);
  const { pages, before, peak } = JSON.parse(output) as { pages: number; before: number; peak: number };
  expect(pages).toBeGreaterThan(1000);
  // The bench measures this on an idle machine; on a busy one there is more uncollected garbage.
  expect((peak - before) / MIB).toBeLessThan(160);
}, 180_000);
