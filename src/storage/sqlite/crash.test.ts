import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyDatabaseFile } from '../verify/verify.ts';
import { NodeSqlite } from './driver.ts';

/** Writes from eight clients at once until it is killed, and prints the number of each row that was acknowledged. */
const WRITER = `
  import { writeSync } from 'node:fs';
  const [driver, file, from] = process.argv.slice(1);
  const { NodeSqlite } = await import(driver);
  const sql = new NodeSqlite(file);
  let next = Number(from);
  const client = async () => {
    for (;;) {
      const n = next++;
      await sql.transaction(async (tx) => {
        await tx.run('INSERT INTO t VALUES (?)', [n]);
        await tx.run('INSERT INTO u VALUES (?)', [n]);
      });
      writeSync(1, n + '\\n');
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));`;

const KILLS = 4;
const PER_LIFE = 400;

describe('node:sqlite: SIGKILL under load', () => {
  it('loses no acknowledged transaction and writes none by half', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-crash-'));
    const file = join(folder, 'quire.db');
    await withDatabase(file, (sql) =>
      sql.transaction(async (tx) => {
        await tx.run('CREATE TABLE t(n INTEGER PRIMARY KEY)');
        await tx.run('CREATE TABLE u(n INTEGER PRIMARY KEY)');
      }));
    const acknowledged: number[] = [];
    for (let life = 0; life < KILLS; life++) acknowledged.push(...(await writeUntilKilled(file, life * 1_000_000)));

    await withDatabase(file, async (sql) => {
      const kept = new Set((await sql.all('SELECT n FROM t')).map((row) => row.n));
      expect(acknowledged.filter((n) => !kept.has(n))).toEqual([]);
      expect(await sql.get('SELECT (SELECT count(*) FROM t) - (SELECT count(*) FROM u) AS difference')).toEqual({
        difference: 0,
      });
    });
    expect((await verifyDatabaseFile(file)).problems).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

async function writeUntilKilled(file: string, from: number): Promise<number[]> {
  const driver = new URL('./driver.ts', import.meta.url).href;
  const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, driver, file, String(from)]);
  let output = '';
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.split('\n').length > PER_LIFE) writer.kill('SIGKILL');
  });
  await once(writer, 'close');
  return output.split('\n').slice(0, -1).map(Number);
}

async function withDatabase(file: string, use: (sql: NodeSqlite) => Promise<unknown>): Promise<void> {
  const sql = new NodeSqlite(file);
  try {
    await use(sql);
  } finally {
    await sql.close();
  }
}
