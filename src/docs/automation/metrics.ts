import { Counter, Gauge, type Registry } from 'prom-client';
import type { Deliveries } from './deliveries.ts';
import type { EvaluationCounts } from './evaluation.ts';
import type { Rule } from './rule.ts';

export interface Measured {
  readonly evaluation: EvaluationCounts;
  readonly deliveries: Pick<Deliveries, 'counts' | 'waiting'>;
  readonly book: ReadonlyMap<string, Rule>;
}

export function registerMetrics(registers: Registry[], { evaluation, deliveries, book }: Measured): void {
  const counter = (name: string, help: string, value: () => number): void =>
    void new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  counter('svc_automation_documents_total', 'Written documents that were compared with triggers.',
    () => evaluation.documents);
  counter('svc_automation_evaluated_total',
    'Triggers whose conditions were evaluated for a written document; all others were ruled out by its words.',
    () => evaluation.evaluated);
  new Counter({
    name: 'svc_automation_deliveries_total',
    help: 'Deliveries of triggers and crons by how they ended.',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset();
      for (const [status, count] of Object.entries(deliveries.counts)) this.inc({ status }, count);
    },
  });
  new Gauge({
    name: 'svc_automation_waiting',
    help: 'Deliveries of triggers and crons in memory that have not ended.',
    registers,
    collect() {
      this.set(deliveries.waiting);
    },
  });
  new Gauge({
    name: 'svc_automation_rules',
    help: 'Automation rules by type.',
    labelNames: ['type'],
    registers,
    collect() {
      this.reset();
      for (const type of ['trigger', 'cron', 'webhook'] as const)
        this.set({ type }, [...book.values()].filter(({ body }) => body.type === type).length);
    },
  });
}
