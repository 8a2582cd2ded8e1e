import { expect } from 'vitest';
import { getCodeGraph, queryCodeGraph } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, store } from './scenario.ts';

/** A page and its style sheet, whose metadata describe their bodies. */
async function storeSources(context: DocsContext): Promise<void> {
  await store(context, {
    key: 'theme/post.css',
    contentMd: '\n.post-title { color: red }',
    meta: { defines: ['.post-title', 'post-title'] },
  });
  await store(context, {
    key: 'theme/post.html',
    contentMd: '<link rel="stylesheet" href="post.css">\n<h1 class="post-title">Hi</h1>',
    meta: { uses: ['post-title'], imports: ['theme/post.css'] },
  });
}

const edge = { from: 'theme/post.html', to: 'theme/post.css' };

/** Dependencies between source documents (contract, section 4, "Code graph"; decision D-76). */
export const codegraph: DocsScenarios = {
  async getCodeGraph(context) {
    const { client, direct, collection } = context;
    await storeSources(context);
    const graph = succeeded(
      await getCodeGraph({ client, query: { collection, key: 'theme/post.css', direction: 'in', depth: 7 } }),
    );
    expect(graph).toEqual({
      collection,
      root: 'theme/post.css',
      direction: 'in',
      depth: 3,
      truncated: false,
      nodes: [{
        key: 'theme/post.css',
        docId: `${collection}|theme/post.css|en`,
        lang: 'en',
        language: 'css',
        depth: 0,
      }, { key: 'theme/post.html', docId: `${collection}|theme/post.html|en`, lang: 'en', language: 'html', depth: 1 }],
      edges: [{ ...edge, kind: 'imports', symbol: 'theme/post.css', direction: 'in' }, {
        ...edge,
        kind: 'uses-selector',
        symbol: 'post-title',
        direction: 'in',
      }],
    });
    refused(await getCodeGraph({ client, query: { collection, key: 'absent.css' } }), 404, 'not_found');
    refused(await getCodeGraph({ client: direct, query: { collection } as never }), 400, 'missing_fields');
  },

  async queryCodeGraph(context) {
    const { client, direct, collection } = context;
    await storeSources(context);
    const { direction, edges } = succeeded(
      await queryCodeGraph({ client, body: { collection, key: 'theme/post.html', lines: true } }),
    );
    expect(direction).toBe('both');
    expect(edges).toEqual([{
      ...edge,
      kind: 'imports',
      symbol: 'theme/post.css',
      direction: 'out',
      lines: { fromLine: 1, toLine: 1 },
    }, { ...edge, kind: 'uses-selector', symbol: 'post-title', direction: 'out', lines: { fromLine: 2, toLine: 2 } }]);
    refused(await queryCodeGraph({ client, body: { collection, key: 'absent.css' } }), 404, 'not_found');
    refused(await queryCodeGraph({ client: direct, body: { collection, key: 'theme/post.html', depth: 0 } }), 400,
      'invalid_argument');
  },
};
