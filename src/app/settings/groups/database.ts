import { dirname } from 'node:path';
import { boolean, byteSize, cron, duration, integer, type Lookup, oneOf, setting, text, timeZone } from '../kinds.ts';
import { accessMode } from './listeners.ts';

export const IN_MEMORY = ':memory:';

/** The database's directory; an in-memory database uses the default directory for its files. */
const databaseFolder = (lookup: Lookup): string => {
  const path = lookup<string>('database.path');
  return path === IN_MEMORY ? 'data' : dirname(path);
};

export const database = {
  mode: setting(accessMode, 'wr', 'SVC_MODE', 'access mode: `read`, `write` or `wr`', {
    flag: 'mode',
    yaml: ['database.mode', 'mode'],
  }),
  path: setting(text, 'data/quire.db', 'SVC_PATH', 'database file; `:memory:` keeps everything in memory', {
    flag: 'db',
    yaml: ['database.path', 'path'],
  }),
  backupDir: setting(text, databaseFolder, 'SVC_BACKUP_DIR', 'the one directory for backups', {
    fallbackText: "the database's directory",
  }),
  ttlSweepInterval: setting(duration(100, 86_400_000), 30_000, 'SVC_TTL_SWEEP_INTERVAL',
    'time between two sweeps of expired documents'),
  deletedRetention: setting(duration(0, 3_153_600_000_000), 2_592_000_000, 'SVC_DELETED_RETENTION',
    'how long deleted documents can be read and restored; 0 removes them at once'),
};

/** Scheduled backups, their retention, and a bucket for copies. */
export const backup = {
  cron: setting(cron, '', 'SVC_BACKUP_CRON', 'when backups are made, as five fields of cron; empty for never'),
  tz: setting(timeZone, 'UTC', 'SVC_BACKUP_TZ', 'time zone of that'),
  keepLast: setting(integer(1, 100_000), 7, 'SVC_BACKUP_KEEP_LAST', 'scheduled backups that are kept: the newest'),
  keepDaily: setting(integer(0, 100_000), 0, 'SVC_BACKUP_KEEP_DAILY', 'days of which the newest one is kept, too'),
  keepWeekly: setting(integer(0, 100_000), 0, 'SVC_BACKUP_KEEP_WEEKLY', 'weeks of which the newest one is kept, too'),
  keepMonthly: setting(integer(0, 100_000), 0, 'SVC_BACKUP_KEEP_MONTHLY',
    'months of which the newest one is kept, too'),
  maxAge: setting(duration(0), 0, 'SVC_BACKUP_MAX_AGE',
    'age from which they are removed in any case, except for the newest; 0 for any age'),
  s3Url: setting(text, '', 'SVC_BACKUP_S3_URL',
    'bucket and folder for a copy of each, such as `https://s3.example.org/our-backups/quire`'),
  s3Region: setting(text, '', 'SVC_BACKUP_S3_REGION', 'region that requests to it are signed for', {
    fallbackText: '`us-east-1`',
  }),
  s3AccessKey: setting(text, '', 'SVC_BACKUP_S3_ACCESS_KEY', 'access key of it'),
  s3SecretKey: setting(text, '', 'SVC_BACKUP_S3_SECRET_KEY', 'secret key of it', { secret: true }),
};

/** The location of the database. With `postgres`, `SVC_PATH` determines where a node stores its own files. */
export const storage = {
  driver: setting(oneOf(['sqlite', 'postgres']), 'sqlite', 'SVC_STORAGE_DRIVER',
    '`sqlite`, a file at `SVC_PATH`, or `postgres`, a database that several nodes share'),
};

export const postgres = {
  url: setting(text, '', 'SVC_POSTGRES_URL',
    'database of the driver `postgres`, as `postgres://user:password@host/database`', { secret: true }),
  pool: setting(integer(4, 1000), 10, 'SVC_POSTGRES_POOL',
    'connections of a node for transactions and short reads; up to 3 for heavy reads and 1 for messages come on top'),
};

/** Copies of the checkpoints of indexes. */
export const checkpoints = {
  place: setting(text, '', 'SVC_CHECKPOINTS',
    'bucket with a prefix, `s3://bucket/prefix`, or shared folder for copies of the checkpoints of indexes'),
  s3Endpoint: setting(text, '', 'SVC_CHECKPOINTS_S3_ENDPOINT',
    'service of the bucket, such as `https://s3.example.org` or `http://10.1.2.3:9000`', {
    fallbackText: 'that of Amazon in the region',
  }),
  s3Region: setting(text, '', 'SVC_CHECKPOINTS_S3_REGION', 'region that requests to it are signed for', {
    fallbackText: '`us-east-1`',
  }),
  s3AccessKey: setting(text, '', 'SVC_CHECKPOINTS_S3_ACCESS_KEY', 'access key of it'),
  s3SecretKey: setting(text, '', 'SVC_CHECKPOINTS_S3_SECRET_KEY', 'secret key of it', { secret: true }),
};

export const compression = {
  enabled: setting(boolean, true, 'SVC_COMPRESSION_ENABLED', 'compress bodies'),
  smallThreshold: setting(byteSize(), 1024, 'SVC_COMPRESSION_SMALL_THRESHOLD',
    'bytes from which bodies are compressed fast'),
  mediumThreshold: setting(byteSize(), 10_240, 'SVC_COMPRESSION_MEDIUM_THRESHOLD',
    'bytes from which bodies are compressed strongly'),
};

export const geo = {
  dataDir: setting(text, databaseFolder, 'SVC_GEO_DATA_DIR', 'the one directory for postcode files', {
    fallbackText: "the database's directory",
  }),
};

/** Bodies that collections store in buckets or in memory. */
export const bodies = {
  cacheBytes: setting(byteSize(0, 2 ** 36), 67_108_864, 'SVC_BODIES_CACHE_BYTES',
    'memory for bodies that were recently read from buckets or written to them, in bytes; 0 keeps none'),
  memoryBytes: setting(byteSize(0, 2 ** 36), 268_435_456, 'SVC_BODIES_MEMORY_BYTES',
    'bodies of all collections with `storageBackend: memory` together, in bytes'),
  timeout: setting(duration(100, 60_000), 10_000, 'SVC_BODIES_TIMEOUT',
    'longest for one request to a bucket; three are tried'),
  grace: setting(duration(3_600_000, 31_536_000_000), 604_800_000, 'SVC_BODIES_GRACE',
    'how long bodies that nothing names stay in their bucket: as long, a backup can be restored'),
};
