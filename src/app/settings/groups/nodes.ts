import { availableParallelism } from 'node:os';
import { boolean, byteSize, duration, integer, type Kind, oneOf, optional, setting, text } from '../kinds.ts';

const MOST = 64;

/** A number of processes, or one for each core. */
const processes: Kind<number> = {
  expected: `auto or an integer from 1 to ${MOST}`,
  parse: (
    value,
  ) => (value.toLowerCase() === 'auto' ? Math.min(MOST, availableParallelism()) : integer(1, MOST).parse(value)),
  show: String,
};

/** The processes of this machine that share its ports. */
export const workers = {
  count: setting(processes, 1, 'SVC_WORKERS',
    'processes that serve requests over HTTP, of which one writes; `auto` for one for each core', {
    yaml: ['workers'],
  }),
};

/** What clients can rely on about the order of their reads and writes, whichever process or server they reach. */
export const sessions = {
  wait: setting(duration(0, 60_000), 5000, 'SVC_MIN_LSN_WAIT',
    'how long a request waits until the server has reached its `X-Quire-Min-LSN`, up to 1m'),
};

/** This node among those that share a PostgreSQL database. */
export const node = {
  name: setting(text, '', 'SVC_NODE_NAME',
    'name of this node among those that share a PostgreSQL database, which it keeps over restarts and no other has', {
    fallbackText: 'the name of the machine, and the port of gRPC',
  }),
  address: setting(text, '', 'SVC_NODE_ADDRESS', 'host and port at which the other nodes reach gRPC of this one', {
    fallbackText: 'the name of the machine, and the port of gRPC',
  }),
  weight: setting(integer(0, 10_000), 100, 'SVC_NODE_WEIGHT',
    'share of the partitions that this node holds, in proportion to those of the other nodes; `0` for none'),
  replicas: setting(integer(1, 16), 2, 'SVC_REPLICAS', 'number of nodes that hold each partition'),
};

export const replication = {
  role: setting(optional(oneOf(['leader', 'follower'])), undefined, 'SVC_REPLICATION_ROLE', '`leader` or `follower`', {
    fallbackText: 'none',
  }),
  leaderAddr: setting(text, '', 'SVC_REPLICATION_LEADER_ADDR',
    'gRPC address of the leader; on a promoted leader, of the one before'),
  nodeId: setting(text, '', 'SVC_NODE_ID', 'name of this node', { fallbackText: 'made once and kept' }),
  secret: setting(text, '', 'SVC_REPLICATION_SECRET', 'secret between leader and followers, at least 32 characters', {
    secret: true,
  }),
  retryInterval: setting(duration(100), 5000, 'SVC_REPLICATION_RETRY_INTERVAL', 'time until a follower connects again'),
  maxLag: setting(duration(1), 30_000, 'SVC_REPLICATION_MAX_LAG',
    'lag of followers from which health warns and webhooks are notified'),
};

export const binlog = {
  enabled: setting(boolean, false, 'SVC_BINLOG_ENABLED', 'keep a binlog that followers read', {
    fallbackText: '`false`; on for a leader',
  }),
  path: setting(text, '', 'SVC_BINLOG_PATH', 'directory of the binlog', {
    fallbackText: 'beside the database, with the ending `.binlog`',
  }),
  maxSize: setting(byteSize(1_048_576), 256_000_000, 'SVC_BINLOG_MAX_SIZE',
    'size of the change feed, and of the binlog, from which what is oldest is removed'),
  maxAge: setting(duration(60_000), 86_400_000, 'SVC_BINLOG_MAX_AGE',
    'age from which changes are removed from the change feed, which events can be resumed from until then, and ' +
      'from the binlog'),
};
