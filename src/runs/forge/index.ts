import { unixSeconds } from '../../lib/clock.ts';
import { uuidV7Generator } from '../../lib/uuid-v7.ts';
import type { Area } from '../area.ts';
import type { Audit } from '../audit/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Runs } from '../runs/index.ts';
import { createDeliveryHandlers } from './deliveries/handlers.ts';
import { createPolling } from './polling/polling.ts';
import type { ForgeApis, ForgeEvents, ProjectEvent, Rejection, SecretReader } from './port.ts';
import { handleDelivery } from './processing/handle.ts';
import { Processor } from './processing/processor.ts';
import type { Repositories } from './repository/index.ts';

/** The entry point of the area of forges. */
export { createForgeApis } from './apis.ts';
export { presentDelivery } from './deliveries/handlers.ts';
export { listDeliveries } from './deliveries/rows.ts';
export { readPoll } from './polling/poll-rows.ts';
export type { ForgeApis, SecretReader } from './port.ts';
export { Repositories } from './repository/index.ts';

export interface ForgeDeps {
  readonly env: RunsEnvironment;
  readonly audit: Audit;
  readonly runs: Pick<Runs, 'enqueueOnce' | 'retryOnce'>;
  readonly repositories: Repositories;
  readonly apis: ForgeApis;
  readonly secretValue: SecretReader;
}

/** Receives events of forges, polls repositories, and starts what the events start. */
export interface Forge extends Required<Pick<Area, 'handlers' | 'start' | 'stop'>>, ForgeEvents {}

export function createForge({ env, audit, secretValue, ...deps }: ForgeDeps): Forge {
  const onEvent: ((event: ProjectEvent) => Promise<void>)[] = [];
  const onRejected: ((rejection: Rejection) => Promise<void>)[] = [];
  const tell = async <T>(listeners: readonly ((value: T) => Promise<void>)[], value: T): Promise<void> => {
    for (const listener of listeners) await listener(value);
  };
  const nextId = uuidV7Generator(env.clock);
  const processor = new Processor({
    env,
    handle: (delivery) =>
      handleDelivery(delivery, {
        env,
        ...deps,
        onEvent: (event) => tell(onEvent, event),
        onRejected: (rejection) => tell(onRejected, rejection),
      }),
  });
  const wake = (): void => processor.wake();
  const polling = createPolling({
    env,
    sql: env.sql,
    repositories: deps.repositories,
    nextId,
    now: () => unixSeconds(env.clock),
    wake,
  });
  return {
    handlers: createDeliveryHandlers({ env, audit, nextId, secretValue, wake }),
    onEvent: (listener) => void onEvent.push(listener),
    onRejected: (listener) => void onRejected.push(listener),
    start() {
      processor.start();
      polling.start();
    },
    async stop() {
      await polling.stop();
      await processor.stop();
    },
  };
}
