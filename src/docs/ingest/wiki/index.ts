export { importWiki, type WikiLimits } from './import-wiki.ts';
export { unpack } from './unpack.ts';
