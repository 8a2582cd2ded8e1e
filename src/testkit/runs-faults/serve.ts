import type { TestContext } from 'vitest';
import { type BenchOptions, FaultBench, LONG_LEASES } from './bench.ts';
import { pipelines, projects } from './pipelines.ts';

export interface ServeOptions extends Omit<BenchOptions, 'yaml'> {
  /** Settings of the queue, as YAML. */
  readonly queue?: string;
}

/** Ships of this zone are assigned the runs of the project `all`. */
export const ZONE = ['zone=all'];

/** A server for one test. Its runs are executed by its own ship, two at once, or by those of the zone `all`. */
export async function serve({ onTestFinished }: TestContext,
  { queue = LONG_LEASES, ...options }: ServeOptions = {}): Promise<FaultBench>
{
  const bench = new FaultBench({
    yaml: (folder) =>
      `${queue}\n${
        options.local ? 'projects: [{id: all, repository: org/all, max_parallel: 2}]\n' : projects(['all'])
      }${pipelines(folder)}`,
    ...options,
  });
  onTestFinished(() => bench.close());
  await bench.serve();
  return bench;
}
