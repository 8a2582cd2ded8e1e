import { expect, it } from 'vitest';
import { toPostgres } from './dialect.ts';

it.each([['numbers parameters, but not in literals', "SELECT '?' FROM t WHERE a = ? AND b = ?",
  "SELECT '?' FROM t WHERE a = $1 AND b = $2"], ['leaves out the schema of SQLite',
  "SELECT main.t.a, 'main.x' FROM main.t", "SELECT t.a, 'main.x' FROM t"], ['writes bytes as the server does',
  "SELECT a FROM t WHERE b = x'00ff'", "SELECT a FROM t WHERE b = '\\x00ff'::bytea"], [
  'leaves out a plus that keeps an index from being chosen',
  'SELECT a + b FROM t s WHERE +s.a = ? AND +s.b = ?',
  'SELECT a + b FROM t s WHERE s.a = $1 AND s.b = $2',
], ['compares rows with a list instead of VALUES, whose parameters would be text',
  'SELECT a FROM t WHERE (a, b) IN (VALUES (?, ?), (?, ?))', 'SELECT a FROM t WHERE (a, b) IN (($1, $2), ($3, $4))'], [
  'reads a text of JSON',
  "SELECT a FROM t WHERE t.config ->> '$.name' = ?",
  "SELECT a FROM t WHERE (t.config::jsonb ->> 'name') = $1",
], ['reads a truth value of JSON', "SELECT a FROM t WHERE t.config ->> '$.on' = 1",
  String.raw`SELECT a FROM t WHERE (replace(t.config, '\u0000', '\u0001')::jsonb ->> 'on') = 'true'`], [
  'leaves other VALUES alone',
  'INSERT INTO t(a) VALUES (?)',
  'INSERT INTO t(a) VALUES ($1)',
]])('%s', (_, sql, expected) => {
  expect(toPostgres(sql).text).toBe(expected);
});

it('reaches the tables behind views by the name of the schema', () => {
  expect(toPostgres("SELECT 'main.x' FROM main.t JOIN v", '"s"').text).toBe('SELECT \'main.x\' FROM "s".t JOIN v');
});
