import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { endedBy, MemoryWatch } from './kill-reason.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-memory-'));
const counters = { machine: join(folder, 'vmstat'), group: join(folder, 'memory.events') };
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function count(machine: number, group: number): void {
  writeFileSync(counters.machine, `nr_free_pages 7\noom_kill ${machine}\n`);
  writeFileSync(counters.group, `low 0\noom 1\noom_kill ${group}\noom_group_kill 0\n`);
}

it('names the signal of an exit code, and whether memory ran out', () => {
  const unknown = new MemoryWatch(counters);
  count(3, 1);
  const watch = new MemoryWatch(counters);
  expect(endedBy(1, null, watch)).toBe('');
  expect(endedBy(255, null, watch)).toBe('');
  expect(endedBy(141, null, watch)).toBe(': SIGPIPE ended a process of it');
  expect(endedBy(137, null, unknown)).toBe(': SIGKILL ended a process of it');
  expect(endedBy(137, null, watch)).toBe(
    ': SIGKILL ended a process of it; the kernel has ended no process for lack of memory meanwhile',
  );
  expect(endedBy(null, 'SIGTERM', watch)).toBe('');
  count(4, 1);
  expect(endedBy(137, null, watch)).toContain('SIGKILL ended a process of it, probably because memory ran out');
  count(4, 2);
  expect(endedBy(null, 'SIGKILL', watch)).toBe(
    ', because memory ran out: the control group of the ship has reached its limit',
  );
});
