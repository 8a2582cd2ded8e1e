import type { ComponentType } from 'preact';
import { client } from '../../../generated/runs/sdk/client.gen.ts';
import { OperationsPage, readDescription, sendFreely } from '../shared/operations-page.tsx';
import { AuditPage } from './audit.tsx';
import { DeliveriesPage } from './deliveries.tsx';
import { ForgesPage } from './forges.tsx';
import { RunsPage } from './list.tsx';
import { MetricsPage } from './metrics.tsx';
import { NotificationsPage } from './notifications.tsx';
import { ProjectPage } from './project.tsx';
import { ProjectsPage } from './projects.tsx';
import { RunPage } from './run.tsx';
import { SchedulesPage } from './schedules.tsx';
import { SearchPage } from './search.tsx';
import { ShipsPage } from './ships.tsx';
import { SubmitPage } from './submit.tsx';

export interface PageOf {
  /** The parts of the place after the first one. */
  readonly path: readonly string[];
}

/** Pages by the first part of their place. */
export const PAGES: Readonly<Record<string, ComponentType<PageOf>>> = {
  '': RunsPage,
  runs: RunPage,
  submit: SubmitPage,
  ships: ShipsPage,
  projects: ({ path }) => (path.length > 0 ? <ProjectPage path={path} /> : <ProjectsPage />),
  schedules: SchedulesPage,
  search: SearchPage,
  forges: ForgesPage,
  deliveries: DeliveriesPage,
  notifications: NotificationsPage,
  audit: AuditPage,
  metrics: MetricsPage,
  try: () => <OperationsPage load={() => readDescription(client)} send={(request) => sendFreely(client, request)} />,
};
