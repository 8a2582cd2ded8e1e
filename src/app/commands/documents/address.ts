import type { Command } from 'commander';
import { addClientOptions } from '../shared/client.ts';
import type { ClientOptions } from '../shared/connection.ts';
import { addOutputOptions, type OutputOptions } from '../shared/output.ts';

/** The document that a command is about. */
export interface Address {
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
}

export interface DocumentOptions extends ClientOptions, OutputOptions {
  readonly lang: string;
}

/** A command about one document: its arguments `<collection> <key>` and the common options. */
export function documentCommand(program: Command, name: string, summary: string): Command {
  const command = program.command(name).summary(summary).description(
    `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
  );
  return addClientOptions(
    addOutputOptions(
      command.argument('<collection>', 'collection of the document').argument('<key>', 'key of the document').option(
        '-l, --lang <code>',
        'language of the document',
        'en',
      ),
    ),
  );
}

/** Names a document in messages. */
export const nameOf = ({ key, lang }: Address): string => `${key} (${lang})`;
