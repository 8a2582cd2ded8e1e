export { registerSync } from './register.ts';
