import { describe, expect, it } from 'vitest';
import { convert } from '../test-fixture.ts';

describe('texts', () => {
  it('stay as they are, without their front matter', async () => {
    expect(await convert('---\ntitle: T\ntags: [a, b]\n---\n# Head\r\n\ttext *', 'a.md')).toMatchObject({
      contentMd: '# Head\r\n\ttext *',
      converted: false,
      format: 'md',
      meta: { title: ['T'], tags: ['a', 'b'] },
    });
    expect(await convert('a\n', 'b.TXT')).toMatchObject({ contentMd: 'a\n', converted: false, format: 'txt' });
  });

  it('of YAML, logs and lex are code, in a fence longer than any of theirs', async () => {
    expect((await convert('a: 1\n', 'x.yml')).contentMd).toBe('```yaml\na: 1\n```\n');
    expect((await convert('x ```` y', 'x.log')).contentMd).toBe('`````log\nx ```` y\n`````\n');
    expect(await convert('%%\n', 'x.lex')).toMatchObject({
      contentMd: '```lex\n%%\n```\n',
      converted: true,
      format: 'lex',
    });
  });

  it('of logs are without the sequences of terminals', async () => {
    const log =
      '\u001b[32mINFO\u001b[0m a\u001b]0;title\u0007b \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\ \u001b(Bc\u001b[2K\n';
    expect((await convert(log, 'x.log')).contentMd).toBe('```log\nINFO ab link c\n```\n');
  });

  it('say how many characters were replaced', async () => {
    expect(
      (await convert(Buffer.from([0xc3, 0xa9, 0xc3, 0xa9, 0xc3, 0xa9, 0xc3, 0xa9, 0xc3, 0xa9, 0xff]), 'a.txt'))
        .repaired,
    ).toBe(1);
  });

  it('that are longer than a file may become are refused', async () => {
    await expect(convert('x'.repeat(101), 'a.txt', { maxOutput: 100 })).rejects.toMatchObject({ fault: 'too_large' });
  });
});
