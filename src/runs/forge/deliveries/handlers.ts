import type { Operations } from '../../../../generated/runs/operations.ts';
import type { ForgeDelivery } from '../../../../generated/runs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { type Handlers, Reply } from '../../../operations/index.ts';
import type { Audit } from '../../audit/index.ts';
import { actorOf } from '../../auth/index.ts';
import { decodeCursor, pageSize, toPage } from '../../pages/index.ts';
import { receiveDelivery, type ReceiveDeps } from './receive.ts';
import { type Delivery, listDeliveries, readDelivery, renewDelivery, repositoryOf } from './rows.ts';

type Names = 'receiveForgeEvent' | 'listForgeDeliveries' | 'getForgeDelivery' | 'redeliverForgeEvent';

export interface DeliveryHandlersDeps extends ReceiveDeps {
  readonly audit: Audit;
  /** A delivery waits to be processed. */
  readonly wake: () => void;
}

const ID = /^[0-9a-f]{32}$/;
const SEQ = /^[1-9]\d{0,15}$/;

export function createDeliveryHandlers(deps: DeliveryHandlersDeps): Required<Pick<Handlers<Operations>, Names>> {
  const { env: { sql }, audit, wake } = deps;

  async function require(id: unknown): Promise<Delivery> {
    const delivery = typeof id === 'string' && ID.test(id) ? await readDelivery(sql, id) : undefined;
    if (delivery === undefined) throw new ServiceError('delivery_not_found', 'there is no such delivery');
    return delivery;
  }

  return {
    async receiveForgeEvent({ kind, forge }, { caller: { body } }) {
      if (body === undefined) throw new ServiceError('invalid_input', 'events of forges come over HTTP');
      const { delivery, isNew } = await receiveDelivery({ kind, forge, body }, deps);
      if (isNew) wake();
      return new Reply({ data: presentDelivery(delivery) }, {}, isNew ? 202 : 200);
    },
    async listForgeDeliveries({ limit, before, forge, repository, project_id: project, state }) {
      const size = pageSize(limit);
      const older = before === undefined ? undefined : Number(decodeCursor(before, SEQ).id);
      const found = await listDeliveries(sql, { forge, repository, project, state }, older, size + 1);
      const { entries, next_cursor } = toPage(found, size,
        ({ receivedAt, seq }) => ({ at: receivedAt, id: String(seq) }));
      return { data: entries.map(presentDelivery), next_cursor };
    },
    async getForgeDelivery({ id }) {
      return { data: presentDelivery(await require(id)) };
    },
    async redeliverForgeEvent({ id }, context) {
      await require(id);
      await sql.transaction(async (tx) => {
        await renewDelivery(tx, id);
        await audit.record(tx, actorOf(context), 'redeliver', id);
      });
      wake();
      return { data: presentDelivery(await require(id)) };
    },
  };
}

/** A delivery as the API shows it. */
export function presentDelivery(delivery: Delivery): ForgeDelivery {
  const { event, outcome } = delivery;
  return {
    id: delivery.id,
    forge: delivery.forge,
    delivery_id: delivery.deliveryId,
    event: delivery.name,
    action: event?.action ?? '',
    repository: repositoryOf(event),
    ref: event?.ref ?? '',
    commit: event?.commit ?? '',
    title: event?.title ?? '',
    author: event?.author ?? '',
    pull_request: event?.pullRequest?.number ?? null,
    received_at: delivery.receivedAt,
    processed_at: delivery.processedAt,
    state: delivery.state,
    attempts: delivery.attempts,
    reason: delivery.reason,
    runs: outcome.runs.map(({ project, pipeline, runId }) => ({ project_id: project, pipeline, run_id: runId })),
    skipped: outcome.skipped.map(({ project, pipeline, reason }) => ({ project_id: project, pipeline, reason })),
  };
}
