import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Handlers, Reply } from '../../operations/index.ts';
import type { RunRequest } from '../definitions/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { OnceResult } from '../idempotency/index.ts';
import type { Runs } from '../runs/index.ts';
import { isStorageFailure, storageUnavailable, toStorageFailure } from '../storage-failures.ts';
import { type Alert, firing, keyOf, type Notification, trimmed } from './notification.ts';
import { fillLabels, pipelineOf, projectOf } from './project-of.ts';

type AlertHandlers = Required<Pick<Handlers<Operations>, 'receiveAlerts'>>;

/**
 * The outcome of a notification, for the metrics. `unavailable`: its project is unknown or disabled, or its pipeline
 * rejects it.
 */
export type AlertResult = 'queued' | 'repeated' | 'resolved' | 'unmapped' | 'unavailable' | 'failed';

export interface AlertsDeps extends Pick<Runs, 'enqueueOnce' | 'present'> {
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
