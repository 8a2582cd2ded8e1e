import type { Command } from 'commander';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgram, treeOf } from '../../app/commands/program.ts';
import type { Io } from '../../app/commands/shared/io.ts';
import { GIVEN, type Protocol } from './given-names.ts';
import { namesOfDocs, namesOfRuns, type OperationNames } from './operation-names.ts';
import { followsFrom, namingProblems } from './rule.ts';

const HEAD = `# Names of operations

<!-- \`npm run generate\` writes this page from the specifications, the tables of the protocols and the commands. -->

Each operation has an \`operationId\`, by which documentation, logs, metrics and generated clients name it. Its name in
another protocol follows from that in the protocol's own style: \`AddDocument\` in gRPC, \`addDocument\` in GraphQL
(queries without \`get\` and \`list\`), \`add_document\` in MCP. Names with a number do not follow; the numbers are
explained below. A new name that does not follow needs a reason in
[given-names.ts](../src/codegen/names/given-names.ts), without which \`npm run check\` fails. \`quire call OPERATION\`
calls any operation of the document service, with or without a command of its own.
`;

/** The page that lists the names of all operations. */
async function renderNames(root: string): Promise<string> {
  const docs = await namesOfDocs(root);
  return [HEAD, '## The document service', '', ...table(docs, ['grpc', 'graphql', 'mcp']), '', '## The run queue', '',
    'Clients reach it over HTTP; [the protocol of ships](../proto/README.md) has messages of its own.', '',
    ...table(namesOfRuns(), []), '', '## Why names differ', '',
    ...GIVEN.map(({ reason }, i) => `${i + 1}. ${reason[0]!.toUpperCase()}${reason.slice(1)}.`), ''].join('\n');
}

const TITLES: Readonly<Record<Protocol, string>> = { grpc: 'gRPC', graphql: 'GraphQL', mcp: 'MCP' };

function table(operations: readonly OperationNames[], protocols: readonly Protocol[]): string[] {
  const columns = ['operation', 'HTTP', ...protocols.map((protocol) => TITLES[protocol]), 'command'];
  return [`| ${columns.join(' | ')} |`, `|${columns.map(() => '---|').join('')}`, ...operations.map((operation) => {
    const names = protocols.map((protocol) => operation[protocol].map((name) => marked(operation.id, protocol, name)));
    return `| ${
      [[code(operation.id)], [code(operation.http)], ...names, operation.commands.map(code)].map((cell) =>
        cell.join(', ')
      ).join(' | ')
    } |`;
  })];
}

/** A name, with the number of the reason why it differs. */
function marked(id: string, protocol: Protocol, name: string): string {
  const reason = GIVEN.findIndex(({ names }) => names[protocol]?.includes(name));
  return followsFrom(id, protocol, name) ? code(name) : `${code(name)} (${reason + 1})`;
}

const code = (text: string): string => `\`${text}\``;

const pageOf = (root: string): string => join(root, 'docs', 'names.md');

export async function writeNames(root: string): Promise<void> {
  await writeFile(pageOf(root), await renderNames(root));
}

/** Problems of the names, and whether the page is current. */
export async function checkNames(root: string): Promise<string[]> {
  const problems = namingProblems([...await namesOfDocs(root), ...namesOfRuns()], await existingCommands());
  const isCurrent = (await readFile(pageOf(root), 'utf8').catch(() => '')) === await renderNames(root);
  return [...problems, ...(isCurrent ? [] : ['docs/names.md drifts from the names of the operations'])];
}

async function existingCommands(): Promise<ReadonlySet<string>> {
  const nowhere = { write: () => true } as unknown as Io['stdout'];
  const program = await createProgram('all', {
    stdin: process.stdin,
    stdout: nowhere,
    stderr: nowhere,
    setExitCode: () => undefined,
  });
  return new Set(program.commands.flatMap(treeOf).map(pathOf));
}

/** The words after `quire`. */
const pathOf = (
  command: Command,
): string => (command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name());
