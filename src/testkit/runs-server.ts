import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningRunQueueService, startRunQueueService } from '../app/runs-service.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { loadRunsConfig } from '../runs/config/index.ts';

export const API_TOKEN = 'a-token-of-many-characters';

export interface RunsServer extends RunningRunQueueService {
  /** The configuration file. */
  readonly file: string;
  readonly folder: string;
  remove(): Promise<void>;
}

export interface Served {
  /** The folder of the configuration file and the data; another service in the same folder continues with them. */
  readonly folder: string;
  /** Configuration in addition to what all tests need. */
  readonly yaml: string;
  readonly log?: Log;
  /** Additional ones. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The complete run-queue service in this process, on a free port. */
export async function serveRuns(
  { folder, yaml, log = silentLog, variables: further }: Served,
): Promise<{ service: RunningRunQueueService; file: string }> {
  const file = join(folder, 'runs.yaml');
  await mkdir(folder, { recursive: true });
  await writeFile(file,
    `listen: 127.0.0.1:0\ndata_dir: ${
      join(folder, 'data')
    }\nruntime: {api_token_env: RUNS_API_TOKEN, shutdown_grace: 1s}\n${yaml}`);
  const variables = { PATH: process.env['PATH'], RUNS_API_TOKEN: API_TOKEN, ...further };
  const service = await startRunQueueService({
    loaded: await loadRunsConfig({ source: file, env: variables }),
    variables,
    log,
    validateResponses: true,
  });
  return { service, file };
}

/** The same, in its own folder. */
export async function startRunsServer(yaml: string, more: Pick<Served, 'variables'> = {}): Promise<RunsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-runs-'));
  const { service, file } = await serveRuns({ folder, yaml, ...more });
  return {
    ...service,
    file,
    folder,
    remove: async () => {
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
}
