import type { RunsConfig } from '../config/index.ts';

/** The label that names a project. */
const LABEL = 'quire_project';

/**
 * The project of a notification (decisions, section 2.8): the one that its label names, otherwise that of the first
 * route whose labels it all has, otherwise the default. Undefined when there is none.
 */
export function projectOf(labels: Readonly<Record<string, string>>, { alerts }: RunsConfig): string | undefined {
  const named = Object.hasOwn(labels, LABEL) ? labels[LABEL] : undefined;
  const route = alerts.routes.find(({ match }) => Object.entries(match).every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value));
  return named || route?.project || alerts.default_project || undefined;
}
