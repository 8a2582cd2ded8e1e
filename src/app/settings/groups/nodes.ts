import { availableParallelism } from 'node:os';
import { duration, integer, type Kind } from '../kinds.ts';
import { setting } from '../setting.ts';

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
