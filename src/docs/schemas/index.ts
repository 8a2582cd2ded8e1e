export type { Meta } from './compile-schema.ts';
export { Effort } from './effort.ts';
export { createSchemas, type Schemas } from './schemas.ts';
export type { MetaRule, ValidationSchema } from './validation-schema.ts';
