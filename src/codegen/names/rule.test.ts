import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GIVEN } from './given-names.ts';
import { namesOfDocs, namesOfRuns, type OperationNames } from './operation-names.ts';
import { checkNames, followsFrom, namingProblems } from './page.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const operation = (id: string, names: Partial<OperationNames>): OperationNames => ({
  id,
  area: 'a',
  http: `POST /v1/${id}`,
  grpc: [],
  graphql: [],
  mcp: [],
  commands: [],
  ...names,
});

/** Operations whose names are all those with a reason, so that no reason is superfluous. */
const REASONED = operation('other', {
  grpc: GIVEN.flatMap(({ names }) => names.grpc ?? []),
  graphql: GIVEN.flatMap(({ names }) => names.graphql ?? []),
  mcp: GIVEN.flatMap(({ names }) => names.mcp ?? []),
});

describe('the name of an operation in a protocol', () => {
  it.each(
    [['addDocument', 'grpc', 'AddDocument', true], ['createApiKey', 'grpc', 'CreateAPIKey', true], ['addDocument',
      'mcp', 'add_document', true], ['listSchemas', 'graphql', 'schemas', true], ['addDocument', 'grpc', 'Add', false],
      ['listSchemas', 'mcp', 'schemas', false]] as const,
  )('%s in %s: %s follows is %s', (id, protocol, name, follows) => {
    expect(followsFrom(id, protocol, name)).toBe(follows);
  });

  it('needs a reason if it does not follow', () => {
    expect(namingProblems([REASONED, operation('addDocument', { mcp: ['add_document'] })], new Set())).toEqual([]);
    expect(namingProblems([REASONED, operation('addDocument', { mcp: ['put_document'] })], new Set())).toEqual([
      'mcp: put_document calls addDocument. Name it for the operation, or give the reason in ' +
      'src/codegen/names/given-names.ts',
    ]);
  });

  it('has no reason that it does not need', () => {
    const problems = namingProblems([{ ...REASONED, graphql: REASONED.graphql.filter((name) => name !== 'fts') }],
      new Set());
    expect(problems).toEqual(['graphql: given-names.ts has a reason for fts, which needs none or does not exist']);
  });

  it('is that of a command that exists', () => {
    expect(namingProblems([REASONED, operation('addDocument', { commands: ['put'] })], new Set(['add']))).toEqual([
      'addDocument: there is no command quire put',
    ]);
  });
});

describe('the names of all operations', () => {
  it('follow or have a reason, and stand in docs/names.md', async () => {
    expect(await checkNames(ROOT)).toEqual([]);
  });

  it('are those of all protocols', async () => {
    const docs = await namesOfDocs(ROOT);
    expect(docs.find(({ id }) => id === 'addDocument')).toMatchObject({
      http: 'POST /v1/add',
      grpc: ['Add'],
      graphql: ['addDocument'],
      mcp: ['add_document'],
      commands: ['add'],
    });
    expect(docs.find(({ id }) => id === 'listUsers')).toMatchObject({ graphql: ['users'], commands: ['users list'] });
    expect(namesOfRuns().find(({ id }) => id === 'pauseSchedule')).toMatchObject({
      commands: ['runs schedules pause'],
    });
  });
});
