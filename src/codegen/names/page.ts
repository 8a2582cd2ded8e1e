import type { Command } from 'commander';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { treeOf } from '../../app/commands/program.ts';
import { wholeProgram } from '../command-line.ts';
import { GIVEN, type Protocol } from './given-names.ts';
import { namesOfDocs, namesOfRuns, type OperationNames } from './operation-names.ts';

const PROTOCOLS: readonly Protocol[] = ['grpc', 'graphql', 'mcp'];

/** Abbreviations are written with capitals in some protocols, so letter case does not count. */
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** A query of GraphQL is named for what it returns, without the verb. */
const WITHOUT_VERB = /^(?:get|list)(?=[A-Z])/;

/** Whether a name is the `operationId` in the form of the protocol: `AddDocument`, `addDocument` or `add_document`. */
export function followsFrom(id: string, protocol: Protocol, name: string): boolean {
  return plain(name) === plain(id) || (protocol === 'graphql' && plain(name) === plain(id.replace(WITHOUT_VERB, '')));
}

/**
 * Problems of the names of operations: those that do not follow from the `operationId` and have no reason, reasons for
 * names that do not exist or that follow, and commands that do not exist.
 */
export function namingProblems(operations: readonly OperationNames[], commands: ReadonlySet<string>): string[] {
  return [...PROTOCOLS.flatMap((protocol) => problemsOf(protocol, operations)),
    ...operations.flatMap(({ id, commands: named }) =>
      named.filter((name) => !commands.has(name)).map((name) => `${id}: there is no command quire ${name}`)
    )];
}

function problemsOf(protocol: Protocol, operations: readonly OperationNames[]): string[] {
  const given = new Set(GIVEN.flatMap(({ names }) => names[protocol] ?? []));
  const different = new Map(
    operations.flatMap(({ id, [protocol]: names }) =>
      names.filter((name) => !followsFrom(id, protocol, name)).map((name) => [name, id] as const)
    ),
  );
  return [
    ...[...different].filter(([name]) => !given.has(name)).map(([name, id]) =>
      `${protocol}: ${name} calls ${id}. Name it for the operation, or give the reason in ` +
      'src/codegen/names/given-names.ts'
    ),
    ...[...given].filter((name) => !different.has(name)).map((name) =>
      `${protocol}: given-names.ts has a reason for ${name}, which needs none or does not exist`
    ),
  ];
}

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
  return new Set((await wholeProgram()).commands.flatMap(treeOf).map(pathOf));
}

/** The words after `quire`. */
const pathOf = (
  command: Command,
): string => (command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name());
