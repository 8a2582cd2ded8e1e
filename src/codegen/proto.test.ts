import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SpecificationError } from './bundle.ts';
import { generateProto, IMAGE, PUBLISHED } from './proto.ts';

const SOURCE = join(import.meta.dirname, '..', '..', 'proto');
const COMMON = join('quire', 'docs', 'v1', 'common.proto');

describe('the proto files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-proto-'));
    await cp(SOURCE, join(folder, 'proto'), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const generate = () => generateProto(join(folder, 'proto'), join(folder, 'generated'));
  const edit = async (change: (text: string) => string) => {
    const file = join(folder, 'proto', COMMON);
    await writeFile(file, change(await readFile(file, 'utf8')));
  };

  it('lint, break nobody, and compile to the image that is committed', async () => {
    await generate();
    const made = await readFile(join(folder, 'generated', IMAGE));
    expect(made.equals(await readFile(join(SOURCE, '..', 'generated', 'proto', IMAGE)))).toBe(true);
  });

  it('are refused when they do not lint, with the place', async () => {
    await edit((text) => text.replace('// One document.\n', ''));
    await expect(generate()).rejects.toThrow(/do not lint[\s\S]*common\.proto:\d+:\d+:Message "Document" should have a non-empty comment/);
  });

  it('are refused when they break clients of what was published', async () => {
    await edit((text) => text.replace('string content_md = 5;', 'string content_md = 15;'));
    await expect(generate()).rejects.toThrow(/break clients of what was released[\s\S]*field "5"/);
  });

  it('may grow', async () => {
    await edit((text) => text.replace('message Document {', 'message Document {\n  // A new field.\n  string added_later = 99;'));
    await generate();
  });

  it('need no published image before there is one', async () => {
    await rm(join(folder, 'proto', PUBLISHED));
    await edit((text) => text.replace('string content_md = 5;', 'string content_md = 15;'));
    await generate();
  });

  it('are refused when they do not compile', async () => {
    await edit((text) => `${text}\nmessage {`);
    await expect(generate()).rejects.toThrow(SpecificationError);
  });
});
