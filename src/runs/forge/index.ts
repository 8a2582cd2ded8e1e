/** The entry point of forges. */
export { createForgeApis, type ForgeApis } from './apis.ts';
