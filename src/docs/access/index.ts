export { type Access, createAccess } from './access.ts';
export { type BackgroundUser, backgroundUserOf } from './background-user.ts';
export { recordOf } from './rows/user-rows.ts';
