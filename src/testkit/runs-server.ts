import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRunQueueService, type RunningRunQueueService } from '../app/runs-service.ts';
import { silentLog } from '../lib/log.ts';
import { loadRunsConfig } from '../runs/config/index.ts';

export const API_TOKEN = 'a-token-of-many-characters';

export interface RunsServer extends RunningRunQueueService {
  /** The configuration file. */
  readonly file: string;
  readonly folder: string;
  remove(): Promise<void>;
}

/** The whole run-queue service in this process, on free ports, with the ship that it has; `yaml` is added to what all tests need. */
export async function startRunsServer(yaml: string, variables: Record<string, string> = {}): Promise<RunsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-runs-'));
  const file = join(folder, 'runs.yaml');
  await writeFile(file, `listen: 127.0.0.1:0\ndata_dir: ${join(folder, 'data')}\nruntime: {api_token_env: RUNS_API_TOKEN, shutdown_grace: 2s}\n${yaml}`);
  const env = { PATH: process.env['PATH'], RUNS_API_TOKEN: API_TOKEN, ...variables };
  const service = await startRunQueueService({ loaded: await loadRunsConfig({ source: file, env }), variables: env, log: silentLog, validateResponses: true });
  return {
    ...service,
    file, folder,
    remove: async () => {
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
}
