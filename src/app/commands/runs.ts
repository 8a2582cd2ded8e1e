import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { formatAddress } from '../../lib/address.ts';
import { ConfigError } from '../../lib/config-error.ts';
import type { LoadedRunsConfig } from '../../runs/config/index.ts';
import { runInForeground, type Running } from '../foreground.ts';
import { createLog } from '../logging/index.ts';

/** The commented example, which lies at the top of the checkout and of the package. */
const EXAMPLE = fileURLToPath(new URL('../../../runs.example.yaml', import.meta.url));

interface Flags {
  readonly config?: string;
  readonly checkConfig?: boolean;
}

/** `quire runs`: the run-queue service in the foreground. */
export function registerRuns(program: Command): void {
  program
    .command('runs')
    .description('serve the run-queue service')
    .option('-c, --config <file or url>', 'YAML configuration; otherwise RUNS_CONFIG names it, otherwise it is runs.example.yaml')
    .option('--check-config', 'say whether the configuration is valid, and start nothing')
    .addHelpText('after', '\nExample:\n  $ quire runs --config runs.yaml')
    .action((flags: Flags) => runInForeground(() => start(flags)));
}

async function start(flags: Flags): Promise<Running> {
  const source = flags.config ?? (process.env['RUNS_CONFIG'] || EXAMPLE);
  // Loaded only here, so that the client commands start without the server's code.
  const { loadRunsConfig } = await import('../../runs/config/index.ts');
  const loaded = await loadRunsConfig({ source, env: process.env });
  refuseUnbuilt(loaded);
  if (flags.checkConfig) {
    console.log(`${loaded.source} is valid`);
    process.exit(0);
  }
  const { config } = loaded;
  const log = createLog({ format: 'text', level: 'info' });
  const { startRunQueueService } = await import('../runs-service.ts');
  const running = await startRunQueueService({ listen: config.listen, shutdownGraceMs: config.runtime.shutdown_grace, log });
  console.log(`Quire run-queue service listening on ${running.url} (configuration ${loaded.source})`);
  console.log(`  reference: ${running.url}/docs`);
  console.log(`  try next:  curl ${running.url}/readyz`);
  console.log('  queueing, projects, pipelines and ships are not built yet and answer 501');
  return running;
}

/** What the configuration can ask for and this build does not have: refused, so that nobody relies on it. */
function refuseUnbuilt({ config }: LoadedRunsConfig): void {
  const problems = [
    ...(config.fleet.enabled ? ['fleet.enabled: the fleet endpoint is not built yet; set it to false'] : []),
    ...(config.storage.driver === 'postgres' ? ['storage.driver: PostgreSQL is not built yet; use sqlite'] : []),
    ...(config.tls.cert !== '' || config.tls.key !== '' ? ['tls: HTTPS is not built yet; leave cert and key empty'] : []),
    ...(config.listen.kind === 'unix' ? [`listen: a unix socket is not possible, got ${formatAddress(config.listen)}`] : []),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
}
