import { expect, it } from 'vitest';
import { EVERYONE, type Identity } from '../../operations/index.ts';
import { seenBy } from './projects.ts';

type Pipeline = Parameters<typeof seenBy>[1];

const PIPELINES = [{ name: 'build', projects: null }, { name: 'deploy', projects: ['alpha', 'beta'] }, {
  name: 'secret',
  projects: ['alpha'],
}] as unknown as Pipeline[];

/** The holder of a token for these projects. */
const tokenFor = (...projects: readonly string[]): Identity => ({
  username: 'token:ci',
  admin: true,
  by: 'token',
  may: (_, project) => projects.includes(project),
});

it('shows the pipelines of the projects of a token, and no other project', () => {
  expect(PIPELINES.flatMap((pipeline) => seenBy(EVERYONE, pipeline))).toEqual(PIPELINES);
  expect(PIPELINES.flatMap((pipeline) => seenBy(tokenFor('beta'), pipeline))).toEqual([{
    name: 'build',
    projects: null,
  }, { name: 'deploy', projects: ['beta'] }]);
});
