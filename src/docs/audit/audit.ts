import { Counter, Gauge, type Registry } from 'prom-client';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { AuditEvent } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { systemTimer, type Timer } from '../../lib/clock.ts';
import { parseHeaderLine, parseSyslogAddress } from '../../lib/setting-values.ts';
import type { Handlers, Outcome, RefusedRequest } from '../../operations/index.ts';
import { type Change, memoryCursor, Subscriber } from '../../storage/index.ts';
import type { DocsEnvironment, RelayedNote } from '../environment.ts';
import { publishEvent } from '../events/index.ts';
import { BurstDetector, RateLimitAlarm } from './alarms.ts';
import { AuditLog, AuditStore } from './audit-log.ts';
import { eventsOf, isAuthFailure, type NewAuditEvent, refusalEvent, type UnidentifiedCaller,
  unidentifiedCallerEvent } from './events-of.ts';
import { Exporter } from './export/exporter.ts';
import { syslogSink, webhookSink } from './export/sinks.ts';

/** The audit log, its export and the detection of bursts (decisions, sections 4.9 and 6). */
export interface AuditSettings {
  readonly enabled: boolean;
  /** File of the events, or `:memory:`. */
  readonly path: string;
  readonly retentionDays: number;
  /** Maximum number of events that wait for each exporter. */
  readonly exportBuffer: number;
  readonly webhookUrl?: string | undefined;
  /** `Name: value`, or empty. */
  readonly webhookHeader: string;
  /** In the form that `parseSyslogAddress` parses, or empty. */
  readonly syslogAddr: string;
  readonly burst: { readonly threshold: number; readonly windowMs: number; readonly cooldownMs: number };
}

type AuditHandlers = Required<Pick<Handlers<Operations>, 'listAuditEvents' | 'listAuditExporters'>>;

/** The audit log and its export. */
export interface Audit {
  readonly handlers: AuditHandlers;
  /** Records an operation that was invoked. Neither throws nor waits. */
  readonly observe: (outcome: Outcome) => void;
  /** The same for a caller whom an adapter refused. */
  readonly observeUnidentified: (caller: UnidentifiedCaller) => void;
  /**
   * Counts a request that the rate limit refused, and reports senders that begin to be refused. Neither throws nor
   * waits.
   */
  readonly observeRefusal: (refused: RefusedRequest) => void;
  /** Records an event that another process has observed. Neither throws nor waits. */
  readonly receive: (note: RelayedEvent) => void;
  registerMetrics(registers: Registry[]): void;
  start(): Promise<void>;
  /** Writes and sends the remaining events; harmless when repeated. */
  stop(): Promise<void>;
}

/** An event that another process has observed. */
type RelayedEvent = Extract<RelayedNote, { readonly kind: 'audit' }>;

const NANOS = 1e6;

/** The change that reports a sender beyond the rate limit to webhooks; its detail is an `Excess`. */
const EXCESS_CHANGE = 'security.rate_limit_exceeded';

/** The change that reports a burst to webhooks; its detail is a `Burst`. */
const BURST_CHANGE = 'security.auth_failure_burst';

interface Open {
  readonly log: AuditLog;
  readonly exporters: readonly Exporter[];
  readonly sweeps: Subscriber;
}

export function createAudit(environment: DocsEnvironment,
  { timer = systemTimer }: { readonly timer?: Timer } = {}): Audit
{
  const { clock, log, relay, settings: { audit: settings } } = environment;
  const detector = settings && new BurstDetector({ ...settings.burst, clock });
  const alarm = settings && new RateLimitAlarm({ cooldownMs: settings.burst.cooldownMs, clock });
  const refusals = new Map<string, number>();
  let open: Open | undefined;

  const note = (event: NewAuditEvent): void => {
    if (open === undefined) return;
    const stamped: AuditEvent = { ts: clock.now() * NANOS, ...event };
    open.log.note(stamped);
    for (const exporter of open.exporters) exporter.offer(stamped);
  };
  const failed = (event: NewAuditEvent): void => {
    const burst = detector?.fail(event.actor, event.ip);
    if (burst === undefined) return;
    log.warn(burst, 'many attempts to sign in failed');
    note({ ...event, action: 'incident.auth_failure_burst', result: 'fail' });
    publishEvent(environment, BURST_CHANGE, burst);
  };
  const safely = (what: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      log.error({ err: error, what }, 'an audit event could not be written down');
    }
  };
  const observe = (outcome: Outcome): void => {
    for (const event of eventsOf(outcome)) {
      const isFailure = isAuthFailure(event, outcome);
      if (relay !== undefined) {
        if (isFailure || settings?.enabled === true)
          relay.add({ kind: 'audit', event: { ts: clock.now() * NANOS, ...event }, failed: isFailure });
        continue;
      }
      note(event);
      if (isFailure) failed(event);
    }
  };
  return {
    handlers: auditHandlers(() => open),
    observe: (outcome) => safely(outcome.operation.id, () => observe(outcome)),
    observeUnidentified: (caller) =>
      safely(caller.path, () => {
        const event = unidentifiedCallerEvent(caller);
        note(event);
        failed(event);
      }),
    observeRefusal: (refused) =>
      safely('rate limit', () => {
        const { protocol } = refused.sender;
        refusals.set(protocol, (refusals.get(protocol) ?? 0) + 1);
        const excess = alarm?.refuse(refused);
        if (excess === undefined) return;
        log.warn(excess, 'requests are refused by the rate limit');
        note(refusalEvent(refused));
        publishEvent(environment, EXCESS_CHANGE, excess);
      }),
    receive: ({ event, failed: isFailure }) =>
      safely('relayed', () => {
        note(event);
        if (isFailure) failed(event);
      }),
    registerMetrics: (registers) => registerMetrics(registers, () => open, refusals),
    async start() {
      if (settings?.enabled !== true || open !== undefined || relay !== undefined) return;
      const store = await AuditStore.open(settings.path, clock);
      open = {
        log: new AuditLog({ store, clock, log, timer, retentionDays: settings.retentionDays }),
        exporters: createExporters(environment, settings, timer),
        sweeps: sweepsOf(environment, await environment.feed.head(), timer, note),
      };
      open.log.start();
      open.sweeps.start();
    },
    async stop() {
      const stopping = open;
      open = undefined;
      if (stopping === undefined) return;
      await stopping.sweeps.stop();
      await Promise.all(stopping.exporters.map((exporter) => exporter.stop()));
      await stopping.log.stop();
    },
  };
}

function auditHandlers(opened: () => Open | undefined): AuditHandlers {
  const enabled = (): Open => {
    const open = opened();
    if (open === undefined) throw new ServiceError('not_found', 'not found: the audit log is disabled');
    return open;
  };
  return {
    async listAuditEvents({ from, to, fromNanos, toNanos, actor, action, result, collection, key, limit }, { budget }) {
      const { log } = enabled();
      const found = await log.find({
        from: fromNanos ?? toNanosOf(from),
        to: toNanos ?? toNanosOf(to),
        actor,
        action,
        result,
        collection,
        key,
      }, limit);
      const events = [
        ...budget.fit(found,
          (event) =>
            Object.values(event).reduce<number>((bytes, value) => bytes + Buffer.byteLength(String(value)), 0)),
      ];
      return {
        events,
        truncated: budget.isSpent || undefined,
        count: events.length,
        dropped: log.dropped,
      };
    },
    async listAuditExporters() {
      const exporters = enabled().exporters.map(({ state }) => state);
      return { exporters, count: exporters.length };
    },
  };
}

function toNanosOf(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment) * NANOS;
}

function createExporters({ log, settings: { buildVersion: version } }: DocsEnvironment,
  { webhookUrl: url, webhookHeader, syslogAddr, exportBuffer: bufferSize }: AuditSettings, timer: Timer): Exporter[]
{
  const syslog = parseSyslogAddress(syslogAddr);
  const sinks = [...(url ? [webhookSink({ url, header: parseHeaderLine(webhookHeader), version })] : []),
    ...(syslog ? [syslogSink(syslog)] : [])];
  return sinks.map((sink) => new Exporter({ sink, bufferSize, log, timer }));
}

/** Removals by the server itself are not operations, so they are read from the change feed (decisions, section 3.1). */
function sweepsOf({ feed, log }: DocsEnvironment, head: number, timer: Timer,
  note: (event: NewAuditEvent) => void): Subscriber
{
  return new Subscriber({
    feed,
    timer,
    cursor: memoryCursor(head),
    onGap: () => feed.head(),
    onFailure: (error, failures) =>
      log.warn({ err: error, failures }, 'the audit log could not follow the change feed; trying again'),
    handle: async (changes) => {
      for (const collection of new Set(changes.filter(isExpiry).map((change) => change.collection))) {
        note({
          actor: 'system',
          action: 'write.expire',
          resource: collection,
          collection,
          result: 'ok',
          ip: '',
          userAgent: '',
        });
      }
    },
  });
}

function isExpiry({ kind, detail }: Change): boolean {
  return kind === 'doc.delete' && detail !== undefined &&
    (JSON.parse(detail) as { readonly reason?: string }).reason === 'ttl';
}

function registerMetrics(registers: Registry[], opened: () => Open | undefined,
  refusals: ReadonlyMap<string, number>): void
{
  new Counter({
    name: 'svc_ratelimit_rejected_total',
    help: 'Requests refused by the rate limit.',
    labelNames: ['transport'],
    registers,
    collect() {
      this.reset();
      for (const [transport, count] of refusals) this.inc({ transport }, count);
    },
  });
  new Counter({
    name: 'svc_audit_dropped_total',
    help: 'Audit events lost because the ring in memory was full.',
    registers,
    collect() {
      this.reset();
      this.inc(opened()?.log.dropped ?? 0);
    },
  });
  new Counter({
    name: 'svc_audit_exported_total',
    help: 'Audit events by what became of their export.',
    labelNames: ['exporter', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { state: { name, delivered, failed, dropped } } of opened()?.exporters ?? []) {
        for (const [outcome, count] of Object.entries({ delivered, failed, dropped }))
          this.inc({
            exporter: name,
            outcome,
          }, count);
      }
    },
  });
  new Gauge({
    name: 'svc_audit_export_queue_size',
    help: 'Audit events that wait for their export.',
    labelNames: ['exporter'],
    registers,
    collect() {
      this.reset();
      for (const { state: { name }, waiting } of opened()?.exporters ?? []) this.set({ exporter: name }, waiting);
    },
  });
}
