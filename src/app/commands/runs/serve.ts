import { type Command, Option } from 'commander';
import { fileURLToPath } from 'node:url';
import { formatAddress } from '../../../lib/address.ts';
import { ConfigError } from '../../../lib/setting-values.ts';
import type { LoadedRunsConfig } from '../../../runs/config/index.ts';
import { runInForeground, type Running } from '../../foreground.ts';
import { createLog } from '../../logging/create-log.ts';
import { sealProcess } from '../../secrecy/index.ts';
import { readTraceSettings, startTracing, tracedUntilStopped } from '../../tracing/index.ts';
import { PROGRAM } from '../shared/io.ts';

/** The commented example, which is at the top of the checkout and of the package. */
const EXAMPLE = fileURLToPath(new URL('../../../../runs.example.yaml', import.meta.url));

interface Flags {
  readonly config?: string;
  readonly checkConfig?: boolean;
  readonly schema?: boolean;
  readonly reference?: boolean;
  readonly logFormat?: 'text' | 'json';
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
}

/** `quire runs`: the run-queue service in the foreground. */
export function serveCommand(program: Command): Command {
  return program.command('runs').description('serve the run-queue service; with a command, be its client').option(
    '-c, --config <file or url>',
    'YAML configuration; otherwise RUNS_CONFIG names it, otherwise it is runs.example.yaml',
  ).option('--check-config', 'say whether the configuration is valid, and start nothing').option('--schema',
    'print the JSON Schema of the configuration, and start nothing').option('--reference',
      'print every key of the configuration as Markdown, and start nothing').addOption(
      new Option('--log-format <format>', 'text for people, json for programs; default: as the configuration has it')
        .choices(['text', 'json']).env('SVC_LOG_FORMAT'),
    ).addOption(
      new Option('--log-level <level>', 'the least that is written; default: as the configuration has it').choices([
        'debug',
        'info',
        'warn',
        'error',
      ]).env('SVC_LOG_LEVEL'),
    ).addHelpText('after',
      '\nExamples:\n  $ quire runs --config runs.yaml\n  $ quire runs submit demo pipeline hello --follow').action((
      flags: Flags,
    ) => (flags.schema || flags.reference ? describeConfig(flags) : runInForeground(() => start(flags)))
    );
}

/** The schema in a form that editors and other programs accept: without what is not part of JSON Schema. */
async function describeConfig({ reference }: Flags): Promise<void> {
  const { renderConfigReference, RUNS_CONFIG_SCHEMA } = await import('../../../runs/config/index.ts');
  if (reference) console.log(renderConfigReference().trimEnd());
  else console.log(
      JSON.stringify(RUNS_CONFIG_SCHEMA,
        (key, value: unknown) => (['format', 'x-expected', 'x-text'].includes(key) ? undefined : value), 2),
    );
}

async function start(flags: Flags): Promise<Running> {
  const { env, problems } = await sealProcess();
  // Loaded only here, so that client commands start without the server's code.
  const { inDataDir, loadRunsConfig, missingSecrets, openSecrets, unsignedWebhooks, weakWebhooks } = await import(
    '../../../runs/config/index.ts'
  );
  const loaded = await loadRunsConfig({ ...sourceOf(flags.config, env), env });
  refuseUnbuilt(loaded);
  if (flags.checkConfig) {
    for (const { name, env: variable } of missingSecrets(loaded.config, env))
      console.error(`secrets: the variable ${variable} of the secret ${name} is not set; runs that need it fail`);
    for (const { name, env: variable } of openSecrets(loaded.config, env))
      console.error(
        `secrets: the value of the secret ${name} (${variable}) is not masked in logs: it has fewer than 6 ` +
          "characters, or is a part of a secret's name",
      );
    for (const { name, secret_env: variable } of unsignedWebhooks(loaded.config, env))
      console.error(
        `notifications: the variable ${variable} of the webhook ${name} is not set; notifications for it wait`,
      );
    for (const { name, variable, refusal } of weakWebhooks(loaded.config, env))
      console.error(`notifications: the variable ${variable} of the webhook ${name}: ${refusal}`);
    console.log(`${loaded.source} is valid`);
    process.exit(0);
  }
  const { log_format: format, log_level: level } = loaded.config.runtime;
  const log = createLog({ format: flags.logFormat ?? format, level: flags.logLevel ?? level });
  for (const problem of problems) log.warn({}, problem);
  const { startRunQueueService } = await import('../../runs-service.ts');
  const end = await startTracing(readTraceSettings(env, 'quire-runs'), log);
  const running = tracedUntilStopped(await startRunQueueService({ loaded, variables: env, log }), end);
  console.log(`Quire run-queue service listening on ${running.url} (configuration ${loaded.source})`);
  if (loaded.config.console) console.log(`  console:   ${running.url}/console`);
  console.log(`  reference: ${running.url}/docs`);
  console.log(`  data:      ${loaded.config.data_dir}`);
  if (loaded.config.local.enabled) console.log(`  work:      ${inDataDir(loaded.config, 'work')}`);
  if (running.fleet !== undefined)
    console.log(`  ships:     connect to ${running.fleet.address}, join at ${running.fleet.enrol}`);
  console.log(`  try next:  ${nextStep(loaded, running.url)}`);
  return running;
}

/**
 * Returns the configuration file: the named one, that of the environment, or the example, which is in the package,
 * where data must not be stored.
 */
export function sourceOf(named: string | undefined,
  env: Readonly<Record<string, string | undefined>>): { readonly source: string; readonly folder?: string }
{
  const source = named ?? (env['RUNS_CONFIG'] || EXAMPLE);
  return { source, ...(source === EXAMPLE && { folder: process.cwd() }) };
}

/** Hints for new users about what to do next. */
function nextStep({ config, apiTokens }: LoadedRunsConfig, url: string): string {
  if (apiTokens.length === 0 && config.tokens.length === 0)
    return 'set runtime.api_token_env in the configuration, which queueing needs; reading is open';
  const pipeline = config.pipelines[0];
  const project = config.projects.find(({ enabled, id }) => enabled && (pipeline?.projects?.includes(id) ?? true));
  const at = url.endsWith(':11030') ? '' : ` --url ${url}`;
  const what = project === undefined
    ? 'list'
    : pipeline === undefined
    ? `submit ${project.id} diagnostic --follow`
    : `submit ${project.id} pipeline ${pipeline.name} --follow`;
  return `RUNS_API_TOKEN=... ${PROGRAM} runs ${what}${at}`;
}

/** Features that the configuration can enable but this build lacks: rejected, so that no user relies on them. */
function refuseUnbuilt({ config }: LoadedRunsConfig): void {
  const problems = [
    ...(config.listen.kind === 'unix'
      ? [`listen: a unix socket is not possible, got ${formatAddress(config.listen)}`]
      : []),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
}
