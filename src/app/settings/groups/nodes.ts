import { duration } from '../kinds.ts';
import { setting } from '../setting.ts';

/** What clients are promised of the order of their reads and writes, whichever process or server they reach. */
export const sessions = {
  wait: setting(duration(0, 60_000), 5000, 'SVC_MIN_LSN_WAIT', 'how long a request waits until the server has reached its `X-Quire-Min-LSN`, up to 1m'),
};
