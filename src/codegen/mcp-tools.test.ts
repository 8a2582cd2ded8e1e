import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type OperationId, operations } from '../../generated/docs/operations.ts';
import { tools } from '../../generated/mcp/tools.ts';
import { ArgumentReader, dereference, type JsonSchema, snakeCase } from '../api/mcp/core/arguments.ts';
import { snakeCase as generatedSnakeCase, toArguments } from './mcp-tools.ts';

/** The table of the decisions, section 4.14: each tool with R (reads), W (writes) or D (destroys), and its path. */
const TABLE = `
add_document W add | add_documents_batch W add-batch | get_document R get | get_document_meta R doc-meta | update_document W update
delete_document D delete | delete_documents_batch D delete-batch | delete_collection D delete-collection | search_documents R search
set_ttl W set-ttl | get_meta_keys R meta-keys | get_checksum R checksum | list_revisions R revisions | restore_revision W revisions/restore
truncate_revisions D truncate | ingest_documents W ingest | upload_file W upload | import_url W import-url | import_wiki W import-wiki
bulk_ingest_submit W bulk-ingest-job | bulk_ingest_status R bulk-ingest-job/{id} | bulk_ingest_list R bulk-ingest-jobs | bulk_ingest_cancel W bulk-ingest-job/{id}
export_documents R export | create_backup W backup | restore_backup D restore | semantic_search R vector-search | full_text_search R fts
hybrid_search R hybrid-search | cross_search R cross-search | similar_documents R similar | find_duplicates R find-duplicates | classify_document R classify
aggregate R aggregate | autocomplete R autocomplete | code_graph R code-graph | vector_reindex W vector-reindex | vector_stats R vector-stats
vector_projection R vector-projection | evaluate_vectors R vector-evaluate | fts_reindex W fts-reindex | fts_languages R fts-languages
list_synonyms R synonyms | add_synonym W synonyms | delete_synonym D synonyms | list_stopwords R stopwords | add_stopwords W stopwords | delete_stopwords D stopwords
geo_search R geo-search | geo_within R geo-within | geo_polygon R geo-polygon | geo_stats R geo-stats | geo_reindex W geo-reindex | geo_encode R geo-encode | geo_decode R geo-decode
get_collection_config R collection-config | set_collection_config W collection-config | delete_collection_config D collection-config | list_collection_configs R collection-configs
set_schema W schema/set | get_schema R schema/get | delete_schema D schema/delete | list_schemas R schema/list | validate_document R validate
register_webhook W webhooks | list_webhooks R webhooks | update_webhook W webhooks/update
list_webhook_dead_letters R webhooks/dead-letters | redeliver_webhooks W webhooks/redeliver | test_webhook W webhooks/test | delete_webhook D webhooks/delete
list_automation R automation | get_automation R automation/{id} | create_automation W automation | update_automation W automation/{id}
delete_automation D automation/{id} | test_automation R automation/{id}/test | get_automation_logs R automation-logs
list_curation_rules R curation | create_curation_rule W curation | update_curation_rule W curation | delete_curation_rule D curation
memory_start_session W memory/session | memory_add_message W memory/message | memory_recall R memory/recall | memory_summarize W memory/summarize
memory_list_sessions R memory/sessions | memory_session_history R memory/history | memory_delete_session D memory/sessions/{id}
temporal_query R temporal/query | temporal_hot R temporal/hot | temporal_histogram R temporal/histogram
spell_suggest R spell-suggest | spell_cleanup R spell-cleanup | list_dictionary R spell-dictionary | add_dictionary_words W spell-dictionary | delete_dictionary_words D spell-dictionary
list_embedding_configs R embedding-configs | get_stats R stats | get_health R health | get_config R config | replication_status R replication/status
`.trim().split(/\s*[|\n]\s*/).map((row) => row.split(' ') as [name: string, kind: 'R' | 'W' | 'D', path: string]);

const schemas = JSON.parse(await readFile('generated/mcp/tools.json', 'utf8')) as Record<string,
  { inputSchema: JsonSchema; outputSchema: JsonSchema }>;
const inputs = JSON.parse(await readFile('generated/docs/inputs.json', 'utf8')) as Record<string, JsonSchema>;

describe('the generated tools', () => {
  it('are those of the table, each an operation at its path, with hints that say what it does', () => {
    const generated = tools.map(({ name, operation, annotations: { readOnlyHint, destructiveHint } }) => {
      const path = operations[operation].path.replace(/^\/(v1\/)?/, '');
      return [name, readOnlyHint ? 'R' : destructiveHint ? 'D' : 'W', path].join(' ');
    });
    expect(generated.sort()).toEqual(TABLE.map((row) => row.join(' ')).sort());
    expect(tools).toHaveLength(102);
  });

  it('say with all four hints and a title what they do, as the access modes see it', () => {
    for (const { name, title, description, operation, annotations } of tools) {
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
      expect([readOnlyHint, destructiveHint, idempotentHint, openWorldHint].every((hint) => typeof hint === 'boolean'),
        name).toBe(true);
      expect(annotations.title, name).toBe(title);
      expect(description.length, name).toBeGreaterThan(title.length + 20);
      expect(readOnlyHint && destructiveHint, name).toBe(false);
      // A backup writes a file on the server, but changes nothing that the access modes protect.
      if (name !== 'create_backup')
        expect([name, operations[operation].effect === 'write']).toEqual([name, !readOnlyHint]);
    }
  });

  it('are described in terms of tools and their arguments, without paths that have a tool', () => {
    const paths = new Set(TABLE.map(([, , path]) => `/v1/${path}`));
    for (const { name, description } of tools) {
      for (const [, path] of description.matchAll(/`(?:[A-Z]+ )?(\/v1\/[\w/-]+)`/g))
        expect([name, paths.has(path!)]).toEqual([name, false]);
    }
  });

  it('have schemas of objects, in JSON Schema without keywords of ours and without dangling references', () => {
    for (const [name, { inputSchema, outputSchema }] of Object.entries(schemas)) {
      for (const schema of [inputSchema, outputSchema]) {
        expect(schema.type, name).toBe('object');
        const text = JSON.stringify(schema);
        expect(text, name).not.toMatch(/"x-[\w-]+":/);
        for (const [, definition] of text.matchAll(/"#\/\$defs\/([^"]+)"/g))
          expect(schema.$defs, name).toHaveProperty(definition!);
      }
      for (const required of inputSchema.required ?? [])
        expect(Object.keys(inputSchema.properties ?? {}), name).toContain(required);
    }
    expect(Object.keys(schemas).sort()).toEqual(tools.map(({ name }) => name).sort());
  });

  it('advertise every field of their operation in snake_case, which reads back to the field', () => {
    for (const { name, operation, custom } of tools) {
      const advertised = Object.keys(schemas[name]!.inputSchema.properties ?? {});
      expect(advertised.filter((field) => field !== field.toLowerCase()), name).toEqual([]);
      if (custom !== undefined) continue;
      // Headers exist only in HTTP.
      const headers = operations[operation as OperationId].parameters.filter((parameter) => parameter.in === 'header')
        .map(({ field }) => field);
      const fields = Object.keys(inputs[operation]!.properties ?? {}).filter((field) => !headers.includes(field));
      const reader = new ArgumentReader(inputs[operation]!);
      expect(advertised.map((field) => reader.fieldOf(field)), name).toEqual(fields);
    }
  });

  it('are spelled by one rule in the generator and in the server', () => {
    for (const name of ['collection', 'contentMd', 'sourceDocID', 'topK', 'useTLS', 'rrfK', 'geo2Lat'])
      expect(snakeCase(name)).toBe(generatedSnakeCase(name));
    expect(['contentMd', 'sourceDocID', 'topK', 'useTLS'].map(snakeCase)).toEqual(['content_md', 'source_doc_id',
      'top_k', 'use_tls']);
  });
});

describe('the schema of arguments', () => {
  it('renames fields at every depth, and neither keys of maps nor data', () => {
    const schema = toArguments({
      type: 'object',
      description: 'gone',
      required: ['filterMeta'],
      'x-max-bytes': 3,
      properties: {
        filterMeta: {
          type: 'object',
          description: 'See `topK`.',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
        topK: { type: 'integer', default: 5 },
        items: { type: 'array', items: { $ref: '#/$defs/OneItem' } },
        sort: { enum: ['addedAt'], default: 'addedAt', examples: [{ addedAt: 1 }] },
      },
      $defs: { OneItem: { type: 'object', properties: { contentMd: { type: 'string' } }, required: ['contentMd'] } },
    }) as JsonSchema;
    expect(schema).toEqual({
      type: 'object',
      required: ['filter_meta'],
      properties: {
        filter_meta: {
          type: 'object',
          description: 'See `top_k`.',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
        top_k: { type: 'integer', default: 5 },
        items: { type: 'array', items: { $ref: '#/$defs/OneItem' } },
        sort: { enum: ['addedAt'], default: 'addedAt' },
      },
      $defs: { OneItem: { type: 'object', properties: { content_md: { type: 'string' } }, required: ['content_md'] } },
    });
    expect(dereference({ $ref: '#/$defs/OneItem' }, schema).required).toEqual(['content_md']);
  });

  it('refuses two fields that are one in snake_case', () => {
    expect(() => toArguments({ type: 'object', properties: { topK: {}, top_k: {} } })).toThrow(
      'one name in snake_case',
    );
  });
});
