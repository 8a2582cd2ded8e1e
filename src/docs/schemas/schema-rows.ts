import type { Queries, Transaction } from '../../storage/index.ts';
import type { ValidationSchema } from './validation-schema.ts';

/** Every stored schema with the lowercased name of its collection. */
export async function readSchemas(queries: Queries): Promise<(readonly [string, ValidationSchema])[]> {
  const rows = await queries.all<{ collection: string; schema: string }>('SELECT collection, schema FROM schemas');
  return rows.map(({ collection, schema }) => [collection, JSON.parse(schema) as ValidationSchema] as const);
}

export async function writeSchema(tx: Transaction, name: string, schema: ValidationSchema): Promise<void> {
  await tx.run(
    'INSERT INTO schemas(collection, schema) VALUES (?, ?) ON CONFLICT(collection) DO UPDATE SET schema = ' +
      'excluded.schema',
    [name, JSON.stringify(schema)],
  );
}

/** Returns whether there was one. */
export async function removeSchema(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.run('DELETE FROM schemas WHERE collection = ?', [name])).changes > 0;
}
