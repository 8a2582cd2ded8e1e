import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { profileOf, readProfile } from './model-profile.ts';

const E5 = { name: 'e5', document: 'passage: ', query: 'query: ' };

describe('a model by its family, where its files say nothing', () => {
  it.each([
    ['intfloat/multilingual-e5-small', 'mean', 'query: ', 384],
    ['Xenova/multilingual-e5-large', 'mean', 'query: ', 1024],
    ['BAAI/bge-m3', 'cls', undefined, 1024],
    ['Xenova/bge-small-en-v1.5', 'cls', undefined, 384],
    ['onnx-community/gte-multilingual-base', 'cls', undefined, 768],
    ['Xenova/gte-small', 'mean', undefined, undefined],
    ['sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2', 'mean', undefined, 384],
    ['Xenova/paraphrase-multilingual-mpnet-base-v2', 'mean', undefined, 768],
    ['nomic-ai/nomic-embed-text-v1.5', 'mean', 'search_query: ', 768],
    ['Xenova/jina-embeddings-v2-base-de', 'mean', undefined, 768],
    ['Snowflake/snowflake-arctic-embed-l-v2.0', 'cls', 'query: ', 1024],
    ['mixedbread-ai/mxbai-embed-large-v1', 'cls', 'Represent this sentence for searching relevant passages: ', 1024],
    ['me/unknown', 'mean', undefined, undefined],
  ])('%s', (name, pooling, query, dimensions) => {
    const profile = profileOf(name, {});
    expect(profile).toMatchObject({ pooling, dimensions, isLowerCase: false, problem: undefined });
    expect(profile.prefixes?.query).toBe(query);
  });

  it('is found by the name that the model had before it was exported', () => {
    expect(profileOf('./mine', { 'config.json': { _name_or_path: 'intfloat/multilingual-e5-base' } }).prefixes).toEqual(
      E5,
    );
  });
});

describe('the files of a model', () => {
  it.each([
    [{ pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }, 'cls'],
    [{ pooling_mode_cls_token: false, pooling_mode_mean_tokens: true }, 'mean'],
    [{ pooling_mode_lasttoken: true }, 'last_token'],
    [{ pooling_mode: 'lasttoken' }, 'last_token'],
    [{ pooling_mode: 'cls' }, 'cls'],
    [{ pooling_mode_mean_sqrt_len_tokens: true }, 'mean'],
  ])('say how tokens are pooled: %j', (file, pooling) => {
    expect(profileOf('BAAI/bge-m3', { '1_Pooling/config.json': file })).toMatchObject({ pooling, problem: undefined });
  });

  it('say how many tokens a text may have, and where positions begin', () => {
    const config = { hidden_size: 768, max_position_embeddings: 514, model_type: 'xlm-roberta', pad_token_id: 1 };
    expect(profileOf('m', { 'config.json': config })).toMatchObject({ dimensions: 768, maxTokens: 512 });
    expect(profileOf('m', { 'config.json': config, 'sentence_bert_config.json': { max_seq_length: 128 } }).maxTokens)
      .toBe(128);
    expect(profileOf('m', { 'config.json': { ...config, model_type: 'bert' } }).maxTokens).toBe(514);
    expect(
      profileOf('m', { 'config.json': config, '1_Pooling/config.json': { word_embedding_dimension: 512 } }).dimensions,
    ).toBe(512);
  });

  it('name prefixes, which those of the family do not replace', () => {
    const prompts = (prompts: object, name = 'me/m', rest = {}) =>
      profileOf(name, { 'config_sentence_transformers.json': { prompts, ...rest } }).prefixes;
    expect(prompts({ query: 'q: ', passage: 'p: ' }, 'intfloat/e5-small')).toMatchObject({
      query: 'q: ',
      document: 'p: ',
      name: expect.stringMatching(/^prompts-[0-9a-f]{1,8}$/),
    });
    expect(prompts({ query: 'query: ', passage: 'passage: ' }, 'intfloat/e5-small')).toEqual(E5);
    expect(prompts({ query: '', document: '' }, 'intfloat/e5-small')).toEqual(E5);
    expect(prompts({ query: 'Instruct: find\nQuery: ' })).toMatchObject({
      query: 'Instruct: find\nQuery: ',
      document: '',
    });
    expect(prompts({ 'retrieval.query': 'a ', 'retrieval.passage': 'b ' })).toMatchObject({
      query: 'a ',
      document: 'b ',
    });
    expect(prompts({ all: 'x ' }, 'me/m', { default_prompt_name: 'all' })).toMatchObject({
      query: 'x ',
      document: 'x ',
    });
    expect(prompts({ sts: 'x ' })).toBeUndefined();
    expect(prompts({ query: 'a', document: 'b' })!.name).not.toBe(prompts({ query: 'b', document: 'a' })!.name);
  });

  it('show that a model cannot be run, rather than that its vectors are wrong', () => {
    const modules = (...types: string[]) => ({
      'modules.json': types.map((type) => ({ type: `sentence_transformers.models.${type}` })),
    });
    expect(profileOf('m', modules('Transformer', 'Pooling', 'Normalize')).problem).toBeUndefined();
    expect(profileOf('m', modules('Transformer', 'Pooling', 'Dense')).problem).toMatch(/need a layer Dense/);
    expect(profileOf('m', { '1_Pooling/config.json': { pooling_mode_max_tokens: true } }).problem).toMatch(
      /by max_tokens; mean, cls_token and lasttoken are known/,
    );
    expect(
      profileOf('m', { '1_Pooling/config.json': { pooling_mode_max_tokens: true, pooling_mode_mean_tokens: true } })
        .problem,
    ).toMatch(/max_tokens and mean_tokens/);
    expect(profileOf('intfloat/e5-small', { '1_Pooling/config.json': { include_prompt: false } }).problem).toMatch(
      /include_prompt/,
    );
    expect(profileOf('m', { '1_Pooling/config.json': { include_prompt: false } }).problem).toBeUndefined();
  });
});

describe('a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-profile-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('has files that may be missing, damaged or of another form', async () => {
    expect(readProfile(folder, 'm')).toMatchObject({ pooling: 'mean', dimensions: undefined, problem: undefined });
    await mkdir(join(folder, '1_Pooling'));
    await writeFile(join(folder, '1_Pooling', 'config.json'), '{"pooling_mode_cls_token": true}');
    await writeFile(join(folder, 'config.json'), '{"n_embd": 96}');
    await writeFile(join(folder, 'modules.json'), '{');
    await writeFile(join(folder, 'config_sentence_transformers.json'), '[1]');
    await writeFile(join(folder, 'sentence_bert_config.json'), '{"max_seq_length": "many", "do_lower_case": true}');
    expect(readProfile(folder, 'm')).toMatchObject({
      pooling: 'cls',
      dimensions: 96,
      maxTokens: undefined,
      isLowerCase: true,
      prefixes: undefined,
    });
  });
});
