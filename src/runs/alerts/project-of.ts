import type { AlertRoute, RunsConfig } from '../config/index.ts';

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
export function pipelineOf(labels: Readonly<Record<string, string>>, projectId: string, { alerts }: RunsConfig): Pick<
  AlertRoute,
  'pipeline' | 'input'
> | undefined {
  const route = routeOf(labels, alerts.routes);
  return route?.project === projectId && route.pipeline !== '' ? route : undefined;
}

/** Replaces `{labels.NAME}` in texts; a label that the alerts do not share becomes empty. */
export function fillLabels(input: AlertRoute['input'],
  labels: Readonly<Record<string, string>>): Record<string, string | number | boolean>
{
  const fill = (text: string): string =>
    text.replaceAll(/\{labels\.([A-Za-z_][A-Za-z0-9_]{0,127})\}/g,
      (_, name: string) => (Object.hasOwn(labels, name) ? labels[name]! : ''));
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, typeof value === 'string' ? fill(value) : value]),
  );
}
