import { Counter, Gauge, type Registry } from 'prom-client';
import type { Deliveries } from './deliveries.ts';
import type { Webhook } from './webhook-rows.ts';

export function registerMetrics(registers: Registry[], deliveries: Deliveries,
  book: ReadonlyMap<string, Webhook>): void
{
  new Counter({
    name: 'svc_webhook_deliveries_total',
    help: 'Deliveries by outcome: `failed` counts attempts, `dropped` dead letters that went for newer ones.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(deliveries.counts)) this.inc({ outcome }, count as number);
    },
  });
  new Gauge({
    name: 'svc_webhook_waiting',
    help: 'Deliveries in memory that are not done.',
    registers,
    collect() {
      this.set(deliveries.engine.waiting);
    },
  });
  new Gauge({
    name: 'svc_webhooks',
    help: 'Webhooks by state: `down` are those whose endpoint accepts nothing at present.',
    labelNames: ['state'],
    registers,
    collect() {
      const paused = [...book.values()].filter(({ pause }) => pause !== '').length;
      this.set({ state: 'active' }, book.size - paused);
      this.set({ state: 'paused' }, paused);
      this.set({ state: 'down' }, deliveries.engine.down);
    },
  });
}
