// With a real repository and git; there is no webhook.
import { afterEach, expect, it, vi } from 'vitest';
import { ForgeBench } from '../test-fixture.ts';

let bench: ForgeBench;
afterEach(() => bench.stop());

const PIPELINES = '[{name: test, when: {event: [push, tag]}, checkout: shallow, steps: [{name: s, run: x}]}]';

/** Lets a minute pass, in which the service polls, and waits until all that it found is processed. */
async function poll(): Promise<void> {
  bench.api.clock.ms += 61_000;
  await bench.api.forge.stop();
  bench.api.forge.start();
  await vi.waitFor(async () => {
    const known = await bench.api.sql.all<{ ref: string; commit_id: string }>(
      "SELECT ref, commit_id FROM forge_refs WHERE project_id = 'bare' AND ref = 'refs/heads/main'",
    );
    expect(known[0]?.commit_id).toBe(bench.origin.git('rev-parse', 'main'));
  }, { timeout: 20_000, interval: 20 });
}

it('starts pipelines for what is new, once, and for nothing that was there before', async () => {
  bench = await ForgeBench.start('poll: 60s', PIPELINES);
  await poll();
  expect(await bench.runs()).toEqual([]);
  const three = bench.origin.commit('three');
  bench.origin.git('tag', '-a', '-m', 'three', 'v3');
  await poll();
  await vi.waitFor(async () => expect(await bench.runs()).toHaveLength(4), { timeout: 20_000 }); // of two projects
  const runs = (await bench.runs()).filter((run) => run.project_id === 'bare');
  expect(runs.map((run) => [run.ref, run.commit]).sort()).toEqual([['main', three], ['v3', three]]);
  expect(runs[0]!.source.forge).toMatchObject({ forge: 'bare', author: '' });
  // A webhook that comes for the same push starts nothing more.
  const late = await bench.deliver('push', bench.push(three, bench.origin.commits.two), 'd-1');
  expect(late).toMatchObject({ state: 'ignored', reason: 'the commit was handled before, as that of refs/heads/main' });
  await poll();
  expect(await bench.runs()).toHaveLength(4);
});
