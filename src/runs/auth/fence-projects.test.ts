import { expect, it } from 'vitest';
import type { Operations } from '../../../generated/runs/operations.ts';
import type { Context, Handlers } from '../../operations/index.ts';
import { fenceProjects } from './fence-projects.ts';

const PIPELINES = [{ name: 'build', projects: null }, { name: 'deploy', projects: ['alpha', 'beta'] }, {
  name: 'secret',
  projects: ['alpha'],
}];

/** The pipelines that a token for these projects sees; null for all projects. */
async function seenBy(projects: readonly string[] | null): Promise<unknown> {
  const handlers = { listPipelines: async () => ({ data: PIPELINES }) } as unknown as Handlers<Operations>;
  const { listPipelines } = fenceProjects(handlers, { runOf: async () => undefined, projectOfAlerts: () => undefined });
  const identity = { may: (_: string, project: string) => projects === null || projects.includes(project) };
  return listPipelines!({}, { identity } as unknown as Context);
}

it('shows the pipelines of the projects of a token, and no other project', async () => {
  expect(await seenBy(null)).toEqual({ data: PIPELINES });
  expect(await seenBy(['beta'])).toEqual({
    data: [{ name: 'build', projects: null }, { name: 'deploy', projects: ['beta'] }],
  });
});
