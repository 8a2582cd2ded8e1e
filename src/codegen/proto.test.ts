import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SpecificationError } from './openapi-types.ts';
import { generateProto, IMAGE, PUBLISHED, publishProto } from './proto.ts';

const SOURCE = join(import.meta.dirname, '..', '..', 'proto');
const COMMON = join('quire', 'docs', 'v1', 'common.proto');
const FLEET = join('quire', 'fleet', 'v1', 'fleet.proto');

describe('the proto files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-proto-'));
    await cp(SOURCE, join(folder, 'proto'), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const generate = () => generateProto(join(folder, 'proto'), join(folder, 'generated'));
  const edit = async (change: (text: string) => string, path = COMMON) => {
    const file = join(folder, 'proto', path);
    await writeFile(file, change(await readFile(file, 'utf8')));
  };

  it('lint, break nobody, and compile to the image that is committed', async () => {
    await generate();
    const made = await readFile(join(folder, 'generated', IMAGE));
    expect(made.equals(await readFile(join(SOURCE, '..', 'generated', 'proto', IMAGE)))).toBe(true);
  });

  it('are refused when they do not lint, with the place', async () => {
    await edit((text) => text.replace('// One document.\n', ''));
    await expect(generate()).rejects.toThrow(
      /do not lint[\s\S]*common\.proto:\d+:\d+:Message "Document" should have a non-empty comment/,
    );
  });

  it('are refused when they break clients of what was published', async () => {
    await edit((text) => text.replace('string content_md = 5;', 'string content_md = 15;'));
    await expect(generate()).rejects.toThrow(/break clients of what was released[\s\S]*field "5"/);
  });

  it('are refused when they break ships of what was published', async () => {
    await edit((text) => text.replace('string token = 1;', 'string join_token = 1;'), FLEET);
    await expect(generate()).rejects.toThrow(
      /break clients of what was released[\s\S]*fleet\.proto:\d+:\d+:Field "1"[\s\S]*"join_token"/,
    );
  });

  it('break nobody once they are published', async () => {
    await edit((text) => text.replace('string content_md = 5;', 'string content_md = 15;'));
    await publishProto(join(folder, 'proto'));
    await generate();
    await edit((text) => text.replace('string content_md = 15;', 'string content_md = 5;'));
    await expect(generate()).rejects.toThrow('break clients of what was released');
  });

  it('name a Go package each, so that protoc-gen-go needs no option', async () => {
    const files = await readdir(join(folder, 'proto'), { recursive: true });
    for (const file of files.filter((name) => name.endsWith('.proto'))) {
      const path = dirname(file);
      const name = path.split('/').slice(-2).join('');
      expect(await readFile(join(folder, 'proto', file), 'utf8'), file).toContain(
        `\noption go_package = "quire/gen/${path};${name}";\n`,
      );
    }
  });

  it('may grow', async () => {
    await edit((text) =>
      text.replace('message Document {', 'message Document {\n  // A new field.\n  string added_later = 99;')
    );
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
