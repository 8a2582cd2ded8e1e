import { flag, format, integer, LABEL, list, number, oneOf, section, text, variable } from './build.ts';

const TEXT = { type: 'string', minLength: 1 } as const;

export const SANDBOXES = ['none', 'namespaces', 'bubblewrap', 'systemd', 'container'] as const;

/** Where contents are: a bucket of an S3-compatible service. */
const bucket = section('the bucket', {
  endpoint: text('host and port, with or without a scheme, such as s3.example.org', '', { maxLength: 512 }),
  bucket: text('its name', '', { maxLength: 255 }),
  region: text('region of the signature; empty for us-east-1', '', { maxLength: 64 }),
  prefix: text('beginning of the names of objects', '', { maxLength: 512 }),
  use_tls: flag('speak TLS with an endpoint that names no scheme', true),
  access_key_env: variable('environment variable with the access key', 'RUNS_S3_ACCESS_KEY'),
  secret_key_env: variable('environment variable with the secret key', 'RUNS_S3_SECRET_KEY'),
});

/** How runs wait, are leased, and write logs. */
export const queue = {
  queue: section('the queue', {
    queue_timeout: format('duration', 'how long a run may wait', '24h'),
    max_attempts: integer('attempts of a run, counting faults of ships', 3, 1, 100),
    backoff: section('wait between two attempts', {
      initial: format('duration', 'after the first attempt', '5s'),
      factor: number('growth from one to the next', 2, 1, 100),
      max: format('duration', 'longest wait', '5m'),
      jitter: number('random part, 0 to 1', 0.2, 0, 1),
    }),
    lease_ttl: format('duration', 'how long a ship holds a run without a sign of life', '60s'),
    heartbeat: format('duration', 'time between two signs of life', '15s'),
    cancel_grace: format('duration-or-zero', 'time between asking a run to stop and killing it', '10s'),
    always_grace: format('duration-or-zero',
      'further time for steps marked `always`, after a cancel or when a pipeline has reached its timeout', '30s'),
    run_retention: format('duration-or-zero', 'how long finished runs are kept; 0 for ever', '0'),
  }),
  local: section('the ship in this process', {
    enabled: flag('execute runs here', true),
    capacity: integer('runs at once', 2, 1, 1000),
    labels: list('labels besides os, arch and ship', LABEL, { maxItems: 32, uniqueItems: true }),
    sandbox: oneOf('how steps are fenced in; `auto` for the strongest that works on this machine', 'auto', ['auto',
      ...SANDBOXES]),
    run_as: oneOf(
      'whom steps run as: `separate` from the service, always; `self` or `root` say by name that they may run as ' +
        'its own user',
      'separate',
      ['separate', 'self', 'root'],
    ),
    user_ids: section(
      'user ids of runs, one each while it runs, where the service is root; they must belong to no account',
      {
        first: integer('the first', 70_000, 1000, 4_000_000_000),
        count: integer('how many', 4000, 1, 1_000_000),
      },
    ),
    git_protocols: list('transports that git may use; repositories at file:/// need `file`', {
      type: 'string',
      enum: ['https', 'http', 'ssh', 'git', 'file'],
    }, { uniqueItems: true }, ['https', 'http', 'ssh']),
    cache_size: format('bytes-or-zero',
      'room for clones of repositories and for the caches of steps; what was used longest ago goes first; 0 for none',
      '10GiB'),
    hide: list('folders and files that steps behind a fence do not see, besides those of the service', TEXT, {
      maxItems: 100,
    }),
  }),
  logs: section('logs of runs', {
    retention: format('duration', 'how long they are kept after a run has finished', '30d'),
    max_line: format('bytes', 'longer lines are split', '16KiB'),
    attempt_budget: format('bytes', 'bytes of one attempt; beyond it the middle of the log is left out', '16MiB'),
    attempt_events: integer('lines of one attempt', 200_000, 1, 100_000_000),
    total_budget: format('bytes', 'bytes of all logs; beyond it the oldest of attempts that have ended are removed',
      '10GiB'),
  }),
  backup: section(
    'backups by a schedule, as `quire runs backup` writes them; for a queue in SQLite, from the next start on',
    {
      schedule: text('cron expression of five fields; empty for none', '', { maxLength: 200 }),
      timezone: format('timezone', 'IANA time zone of its times', 'UTC'),
      folder: text('where they are, relative to data_dir; keep it as secret as a private key', 'backups'),
      keep: section('which are kept', {
        last: integer('the newest', 7, 1, 100_000),
        daily: integer('days of which the newest is kept, too', 0, 0, 100_000),
        weekly: integer('weeks of which the newest is kept, too', 0, 0, 100_000),
        monthly: integer('months of which the newest is kept, too', 0, 0, 100_000),
        age: format('duration-or-zero',
          'age from which they are removed in any case, except for the newest; 0 for any age', '0'),
      }),
      s3: section('a bucket of an S3-compatible service for a copy of each', {
        url: text('bucket and folder, such as https://s3.example.org/our-backups/runs; empty for none', '', {
          maxLength: 1024,
        }),
        region: text('region that requests are signed for', 'us-east-1'),
        access_key_env: variable('environment variable with the access key'),
        secret_key_env: variable('environment variable with the secret key'),
      }),
    },
  ),
  artifacts: section('files that steps leave to be kept', {
    dir: text('folder, relative to data_dir; with a bucket, for what is on its way there', 'artifacts'),
    store: oneOf(
      '`folder`, or a bucket of an S3-compatible service, which several servers may share; takes effect at the ' +
        'next start',
      'folder',
      ['folder', 's3'],
    ),
    s3: bucket,
    retention: format('duration', 'how long they are kept after a run has finished', '30d'),
    max_size: format('bytes', 'bytes of one', '1GiB'),
    max_count: integer('how many an attempt may leave', 1000, 1, 100_000),
    total_budget: format('bytes',
      'bytes of all; beyond it those of the runs that finished first are removed, and while none are left further ' +
        'ones are refused', '10GiB'),
  }),
  reports: section('test reports of runs', {
    retention: format('duration', 'how long results are kept, unless their run is removed before', '90d'),
    max_size: format('bytes', 'bytes of one report; at most 16MiB', '8MiB'),
    max_results: integer('results of one report; further ones are left out', 10_000, 1, 100_000),
    max_count: integer('reports of one attempt', 200, 1, 10_000),
  }),
  caches: section('caches of steps that all ships share', {
    store: oneOf(
      '`ships`: each ship has only the caches that it saved itself; `folder` or `s3`: the service keeps them for ' +
        'all ships, too; takes effect at the next start',
      'ships',
      ['ships', 'folder', 's3'],
    ),
    dir: text('folder, relative to data_dir; with a bucket, for what is on its way there', 'caches'),
    s3: bucket,
    retention: format('duration', 'how long one is kept that no ship has saved or fetched', '30d'),
    max_size: format('bytes', 'bytes of one', '2GiB'),
    total_budget: format('bytes', 'bytes of all; beyond it those that were fetched longest ago are removed', '10GiB'),
  }),
} as const;
