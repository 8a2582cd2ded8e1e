export { createAccess, type Access } from './access.ts';
