import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inspectOpenDatabase, inspectRemains } from '../../../src/testkit/crash/inspect-database.ts';
import { seededRandom } from '../../../src/testkit/crash/random.ts';
import { storedDocuments } from '../../../src/testkit/crash/stored-documents.ts';
import { WriteModel } from '../../../src/testkit/crash/write-model.ts';
import { Writers } from '../../../src/testkit/crash/writers.ts';
import { DocsProcess } from '../../../src/testkit/docs-process.ts';
import { eventually } from '../../../src/testkit/runs-faults/eventually.ts';

const ROUNDS = Number(process.env['QUIRE_CRASH_ROUNDS'] ?? 6);
const SEED = Number(process.env['QUIRE_CRASH_SEED'] ?? 20_261);
const WRITERS = 12;
const WRITES_PER_ROUND = 60;

let folder: string;
let database: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-crash-'));
  database = join(folder, 'quire.db');
});
afterEach(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true, force: true });
});

describe('a server that is killed (SIGKILL) while clients write', () => {
  /**
   * All rounds use one file, so that each also recovers the result of the previous recovery. A kill comes an arbitrary
   * time after an arbitrary number of writes: a time alone would be over before the first write on a busy machine.
   */
  it(`keeps every acknowledged write, in ${ROUNDS} rounds from seed ${SEED}`, async () => {
    const model = new WriteModel();
    const random = seededRandom(SEED);
    let started = await DocsProcess.serve(database);
    for (let round = 1; round <= ROUNDS; round++) {
      const writers = new Writers({ url: started.url, model, seed: random.integer(0, 2 ** 31), count: WRITERS });
      const goal = model.acknowledgements + random.integer(0, WRITES_PER_ROUND);
      await eventually('writes', () => model.acknowledgements >= goal || undefined);
      await setTimeout(random.integer(0, 50));
      await started.server.end('SIGKILL');
      await writers.stop();

      const remains = await inspectRemains(database);
      expect(remains.faults, `round ${round}: what the kill left`).toEqual([]);
      expect(remains.head, `round ${round}: changes`).toBeGreaterThanOrEqual(model.acknowledgements);

      started = await DocsProcess.serve(database);
      expect(model.reconcile(await storedDocuments(started.url)), `round ${round}: documents`).toEqual([]);
      expect(inspectOpenDatabase(database).faults, `round ${round}: after the restart`).toEqual([]);
    }
    await started.server.end();
    expect((await inspectRemains(database)).faults).toEqual([]);
  }, 240_000);
});
