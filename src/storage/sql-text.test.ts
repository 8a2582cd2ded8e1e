import { describe, expect, it } from 'vitest';
import { placeholders, statements } from './sql-text.ts';

describe('placeholders', () => {
  it('finds each ? that is one', () => {
    expect(placeholders('SELECT ? + ?')).toEqual([7, 11]);
    expect(placeholders('SELECT 1')).toEqual([]);
  });

  it.each([`'it''s ?'`, '"a ""?"" b"', '`?`', '[?]', '-- ?\n', '/* ?\n? */'])('passes over %s', (text) => {
    expect(placeholders(`SELECT ${text} ?`)).toEqual([`SELECT ${text} `.length]);
  });
});

describe('statements', () => {
  it('splits a script, also at the last one without an end', () => {
    expect(statements('CREATE TABLE a(b);\nDROP TABLE a')).toEqual(['CREATE TABLE a(b)', 'DROP TABLE a']);
  });

  it('does not split at a ; in a literal or comment, and drops what is only a comment', () => {
    expect(statements(`-- one; two\nINSERT INTO a VALUES (';');\n-- the end;\n;`)).toEqual([
      `-- one; two\nINSERT INTO a VALUES (';')`,
    ]);
  });
});
