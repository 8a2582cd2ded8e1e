export { createGuard } from './guard.ts';
