import type { CommandGroup } from '../operations/catalogue.ts';

export const COLLECTIONS: CommandGroup = {
  name: 'collections',
  summary: 'collections, their settings and schemas',
  commands: [{
    name: 'list',
    operation: 'getStats',
    items: 'collections',
    summary: 'list the collections',
    columns: ['name', ['documentCount', 'documents'], ['revisionCount', 'revisions'], ['metaIndexCount', 'metadata'],
      'checksum'],
  }, {
    name: 'show',
    operation: 'getCollectionConfig',
    positions: ['collection'],
    summary: 'show the settings of a collection',
  }, {
    name: 'set',
    operation: 'setCollectionConfig',
    positions: ['collection'],
    summary: 'set the settings of a collection; what is left out goes back to its default',
    examples: ['collections set blog --description "What we write" --max-revisions 20'],
  }, {
    name: 'reset',
    operation: 'deleteCollectionConfig',
    positions: ['collection'],
    summary: 'go back to the default settings',
    asks: ({ collection }) => `Delete the settings of ${String(collection)}?`,
    says: () => ['the settings are the default ones'],
  }, {
    name: 'configs',
    operation: 'listCollectionConfigs',
    summary: 'list the collections that have settings',
    columns: ['collection', 'config'],
  }, {
    name: 'delete',
    operation: 'deleteCollection',
    positions: ['collection'],
    summary: 'delete a collection with all its documents',
    asks: ({ collection }) => `Delete the collection ${String(collection)} with all its documents and revisions?`,
    says: ({ deleted }, { collection }) => [`deleted ${String(collection)}: ${String(deleted)} documents`],
  }, {
    name: 'schemas',
    operation: 'listSchemas',
    summary: 'list the schemas of metadata',
    columns: ['collection', 'schema'],
  }, {
    name: 'schema',
    operation: 'getSchema',
    positions: ['collection'],
    summary: "show the schema of a collection's metadata",
  }, {
    name: 'set-schema',
    operation: 'setSchema',
    positions: ['collection'],
    summary: "set the schema of a collection's metadata",
    examples: ['collections set-schema blog --schema @schema.json'],
  }, {
    name: 'delete-schema',
    operation: 'deleteSchema',
    positions: ['collection'],
    summary: 'delete a schema',
    asks: ({ collection }) => `Delete the schema of ${String(collection)}?`,
    says: () => ['deleted'],
  }, {
    name: 'checksum',
    operation: 'getChecksum',
    positions: ['collection'],
    summary: 'print the checksum over all documents of a collection',
    prints: ({ checksum }) => String(checksum),
  }],
};

export const META: CommandGroup = {
  name: 'meta',
  summary: 'metadata of a collection or a document',
  commands: [{
    name: 'keys',
    operation: 'listMetaKeys',
    positions: ['collection'],
    summary: 'show the keys of metadata in a collection, with their values',
    examples: ['meta keys blog', 'meta keys blog --key tags'],
  }, {
    name: 'show',
    operation: 'getDocumentMeta',
    positions: ['collection', 'key'],
    defaults: { lang: 'en' },
    summary: 'show the metadata of a document',
  }, {
    name: 'set',
    operation: 'updateDocument',
    positions: ['collection', 'key'],
    defaults: { lang: 'en' },
    without: ['contentMd'],
    summary: 'replace the metadata of a document',
    says: () => ['stored'],
    examples: ['meta set blog hello --meta title=Hello --meta tags=news --meta tags=2026'],
  }],
};
