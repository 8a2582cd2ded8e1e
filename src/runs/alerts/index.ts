import { createHash } from 'node:crypto';
import type { Operations } from '../../../generated/runs/operations.ts';
import type { Alert, ReceiveAlertsRequest } from '../../../generated/runs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Handlers, Reply } from '../../operations/index.ts';
import type { AlertRoute, RunsConfig } from '../config/index.ts';
import type { RunRequest } from '../definitions/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { OnceResult } from '../idempotency/index.ts';
import type { Runs } from '../runs/index.ts';
import { isStorageFailure, storageUnavailable, toStorageFailure } from '../storage-failures.ts';

type AlertHandlers = Required<Pick<Handlers<Operations>, 'receiveAlerts'>>;

/**
 * The outcome of a notification, for the metrics. `unavailable`: its project is unknown or disabled, or its pipeline
 * rejects it.
 */
export type AlertResult = 'queued' | 'repeated' | 'resolved' | 'unmapped' | 'unavailable' | 'failed';

interface AlertsDeps extends Pick<Runs, 'enqueueOnce' | 'present'> {
  /** Called for each well-formed notification; must not throw. */
  readonly onReceived: (result: AlertResult) => void;
}

/** Task of diagnostic runs. */
const TASK = 'alert';

/** Errors that a repeated notification would cause again. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['project_unavailable', 'pipeline_unavailable', 'invalid_input']);

/** Receives Alertmanager's notifications (decisions, section 2.8). */
export function createAlerts({ config, log }: Pick<RunsEnvironment, 'config' | 'log'>,
  { enqueueOnce, present, onReceived }: AlertsDeps): { readonly handlers: AlertHandlers }
{
  const nothing = (result: AlertResult) => {
    onReceived(result);
    return { data: [] };
  };

  function requestFor(projectId: string, notification: Notification, alerts: readonly Alert[]): RunRequest {
    const input = trimmed(notification, alerts);
    const { commonLabels: alertLabels } = input;
    const route = pipelineOf(notification.commonLabels, projectId, config.current().config);
    if (route === undefined) return { projectId, kind: 'diagnostic', task: TASK, input, alertLabels };
    const isGiven = Object.keys(route.input).length > 0;
    return {
      projectId,
      kind: 'pipeline',
      task: route.pipeline,
      input: isGiven ? fillLabels(route.input, alertLabels) : input,
      alertLabels,
    };
  }

  /** Undefined if the project is unknown or disabled, or if its pipeline rejects the notification. */
  async function enqueue(projectId: string, notification: Notification,
    alerts: readonly Alert[]): Promise<OnceResult | undefined>
  {
    try {
      const [key, request] = [keyOf(notification.groupKey, alerts), requestFor(projectId, notification, alerts)];
      const found = await enqueueOnce('alert', key, request);
      // A run of another project must neither replace this one, nor be shown to the caller, who may not be allowed to
      // see it.
      return found.run.projectId === projectId ? found : await enqueueOnce('alert', `${key}:${projectId}`, request);
    } catch (error) {
      if (!(error instanceof ServiceError) || !UNAVAILABLE.has(error.code)) throw asRetryable(error);
      log.warn({ project: projectId, groupKey: notification.groupKey.slice(0, 200), err: error },
        'the run of an alert cannot be queued');
      return undefined;
    }
  }

  return {
    handlers: {
      async receiveAlerts(input) {
        // Flattening a type that allows additional fields loses the known ones.
        const notification = input as unknown as Notification;
        const alerts = firing(notification);
        if (alerts.length === 0) return nothing('resolved');
        const projectId = projectOf(notification.commonLabels, config.current().config);
        if (projectId === undefined) return nothing('unmapped');
        const queued = await enqueue(projectId, notification, alerts).catch((error: unknown) => {
          onReceived('failed');
          throw error;
        });
        if (queued === undefined) return nothing('unavailable');
        onReceived(queued.replayed ? 'repeated' : 'queued');
        return new Reply({ data: [present(queued.run)] }, {}, 202);
      },
    },
  };
}

/** Alertmanager repeats a request that got a 503, so no notification is lost while the store is unavailable. */
function asRetryable(thrown: unknown): unknown {
  const error = toStorageFailure(thrown, 'storage_failed');
  return isStorageFailure(error) ? storageUnavailable((error as Error).message, error) : error;
}

/** With defaults filled in. */
type Notification = ReceiveAlertsRequest & { readonly commonLabels: Readonly<Record<string, string>> };

/**
 * Bytes of the input that a notification becomes; less than the limit of an input, because names and brackets are
 * added.
 */
const BUDGET = 200_000;

/** Characters of a label or annotation. */
const MAX_TEXT = 4096;

/** Firing alerts; a notification may also hold resolved ones. */
function firing({ status, alerts }: Notification): readonly Alert[] {
  return status === 'firing' ? alerts.filter((alert) => alert.status === 'firing') : [];
}

/**
 * The key under which these alerts are queued once. Repeated notifications have the same key; it changes when an alert
 * joins, leaves, or fires again after it was resolved.
 */
function keyOf(groupKey: string, alerts: readonly Alert[]): string {
  const since = alerts.map(({ fingerprint, startsAt }) => `${fingerprint} ${startsAt}`).sort();
  return `am:${createHash('sha256').update(JSON.stringify([groupKey, since])).digest('hex')}`;
}

/**
 * The input of the run: the notification, cut to the size limit of an input. `left_out` counts the alerts that did not
 * fit.
 */
function trimmed({ groupKey, commonLabels }: Notification,
  alerts: readonly Alert[]): { readonly commonLabels: Record<string, string>; readonly [name: string]: unknown }
{
  const room = { bytes: BUDGET };
  const head = { status: 'firing', groupKey: shortened(groupKey), commonLabels: fitting(commonLabels, room) };
  const kept: unknown[] = [];
  for (const alert of alerts) {
    const shown = {
      labels: texts(alert.labels),
      annotations: texts(alert.annotations ?? {}),
      startsAt: shortened(alert.startsAt),
      fingerprint: shortened(alert.fingerprint),
    };
    if (!takes(room, shown)) break;
    kept.push(shown);
  }
  return { ...head, alerts: kept, left_out: alerts.length - kept.length };
}

/** U+0000 becomes U+FFFD: PostgreSQL, which has an index over the origins of runs, reads no JSON with U+0000. */
function shortened(text: string): string {
  const readable = text.replaceAll('\0', '\ufffd');
  return readable.length <= MAX_TEXT ? readable : `${readable.slice(0, MAX_TEXT).toWellFormed()}…`;
}

function texts(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [shortened(name), shortened(text)]));
}

/** As many of the labels as fit. */
function fitting(labels: Readonly<Record<string, string>>, room: { bytes: number }): Record<string, string> {
  return Object.fromEntries(Object.entries(texts(labels)).filter((label) => takes(room, label)));
}

function takes(room: { bytes: number }, value: unknown): boolean {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > room.bytes) return false;
  room.bytes -= bytes;
  return true;
}

/** The label that names a project. */
const LABEL = 'quire_project';

/**
 * The project of a notification (decisions, section 2.8): the one that its label names, otherwise the project of the
 * first route whose labels it all has, otherwise the default. Undefined when there is none.
 */
export function projectOf(labels: Readonly<Record<string, string>>, { alerts }: RunsConfig): string | undefined {
  const named = Object.hasOwn(labels, LABEL) ? labels[LABEL] : undefined;
  return named || routeOf(labels, alerts.routes)?.project || alerts.default_project || undefined;
}

function routeOf(labels: Readonly<Record<string, string>>, routes: readonly AlertRoute[]): AlertRoute | undefined {
  return routes.find(({ match }) =>
    Object.entries(match).every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value)
  );
}

/**
 * The pipeline, with its input, that the first matching route names for this project; undefined for a diagnostic run.
 */
function pipelineOf(labels: Readonly<Record<string, string>>, projectId: string, { alerts }: RunsConfig): Pick<
  AlertRoute,
  'pipeline' | 'input'
> | undefined {
  const route = routeOf(labels, alerts.routes);
  return route?.project === projectId && route.pipeline !== '' ? route : undefined;
}

/** Replaces `{labels.NAME}` in texts; a label that the alerts do not share becomes empty. */
function fillLabels(input: AlertRoute['input'],
  labels: Readonly<Record<string, string>>): Record<string, string | number | boolean>
{
  const fill = (text: string): string =>
    text.replaceAll(/\{labels\.([A-Za-z_][A-Za-z0-9_]{0,127})\}/g,
      (_, name: string) => (Object.hasOwn(labels, name) ? labels[name]! : ''));
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, typeof value === 'string' ? fill(value) : value]),
  );
}
